/** Runs the service: opens its parts, mounts the edges, announces the address, and closes everything on a signal. */
import type { Logger } from 'pino'
import type { Config } from '../config/config.js'
import { effectiveValues, type Settings } from '../config/load.js'
import { firstStart, ignoredAccountInput } from '../core/administration/first-start.js'
import { controlSocketPath } from '../edges/control/client.js'
import { type Closable, Closing } from '../lib/closing.js'
import { createLogger } from '../lib/logger.js'
import { OperatorError, UnavailableError } from '../lib/operator-error.js'
import { type Announcer, announcer } from './announce.js'
import type { Command } from './command.js'
import { requireOpenFiles, requireRoom } from './require-environment.js'

export const serve: Command = {
  name: 'serve',
  summary: 'Run the service (npm start does this)',
  options: 'all',
  async run({ config, settings, terminal, print }) {
    const log = createLogger(config)
    const running = await start(settings, log, announcer(config, { terminal, print, log }))
    const signal = await stopSignal()
    log.info({ signal }, 'stopping: finishing requests and writing clicks; a second signal stops at once')
    await running.close()
    log.info('stopped')
  },
}

/** Opens parts in dependency order and closes them in reverse, also when a later step fails. */
async function start(settings: Settings, log: Logger, announce: Announcer): Promise<Closable> {
  refuseReachableDemo(settings.config)
  requireOpenFiles()
  // Loaded lazily: importing the service takes most of a second, and --help needs only the name of this command.
  const [
    { createApp },
    { requirePorts, startService },
    { requireAlone, startControl },
    { requireRestored },
    { writeServedBaseUrl },
  ] = await Promise.all([
    import('../runtime/app.js'),
    import('../runtime/service.js'),
    import('../edges/control/server.js'),
    import('../storage/copies/empty-place.js'),
    import('../runtime/stores/data-version.js'),
  ])
  const { config } = settings
  const socket = controlSocketPath(config.dataDir)
  await requireAlone(socket)
  requireRestored(config.dataDir)
  requireRoom(config)
  // Before anything is created: a first start that fails on its port must not use up the first credentials.
  await requirePorts(config)
  warnOfLocalBaseUrl(config, log)
  const closing = new Closing()
  try {
    const app = closing.add(await createdWhenPossible(() => createApp(config, log), config, log))
    const input = firstAccountInput(settings)
    const first = await firstStart(app, input, (made) => announce.keep(made))
    if (first) announce.firstStarted(first)
    else {
      announce.discard()
      await ignoredAccountInput(app, input).then(
        (ignored) => warnOfIgnoredAccountInput(ignored, log),
        // Only a warning is missing: the start does not need the account, whose second factor may be undecryptable.
        (err) => log.warn({ err }, 'cannot read the first account'),
      )
    }
    const cacheHooks = {
      onTokenRevoked: (guid: string) => app.tokens.forget(guid),
      onAccessChanged: () => app.tokens.clear(),
    }
    const facts = { values: effectiveValues(settings), examine: async () => (await doctor()).examineService(app) }
    closing.add(await startControl(socket, { ...app, ...cacheHooks }, log, facts))
    closing.add(await startService(app))
    writeServedBaseUrl(config.dataDir, config.baseUrl)
    announce.serving(first, app.stream.place)
    return closing
  } catch (error) {
    await closing.close()
    throw error
  }
}

const usedUp =
  'The database is reachable. The socket of the service manager is used up by serving without it: the next start, which it makes by itself, is a complete one.'

/** Loaded when somebody asks. */
const doctor = () => import('./doctor/examine.js')

/**
 * While the database is unreachable, serves known links from the snapshot; without a snapshot, fails with the reason.
 */
async function createdWhenPossible<T>(create: () => Promise<T>, config: Config, log: Logger): Promise<T> {
  for (;;) {
    try {
      return await create()
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error
      const { serveDuringOutage } = await import('../runtime/outage.js')
      if (!(await serveDuringOutage(config, log, error.message))) throw error
      const { givenSocket } = await import('../runtime/given-socket.js')
      if (givenSocket() !== undefined) throw new OperatorError(usedUp)
    }
  }
}

/** adminLogin has a default, so check whether it was given: the first user may have another login. */
function firstAccountInput({ config, sources }: Settings) {
  const { adminLogin, adminPassword: password, adminToken: token } = config
  return { login: sources.adminLogin.from === 'default' ? undefined : adminLogin, password, token }
}

/** Not applied: a forgotten variable in a file must not reset the password of an account. */
function warnOfIgnoredAccountInput(ignored: readonly string[], log: Logger): void {
  if (ignored.length === 0) return
  const options = ignored.map((name) => `admin${name.charAt(0).toUpperCase()}${name.slice(1)}`)
  log.warn(
    { options },
    'these options apply at the first start only and are ignored now: use "shortlink user" and "shortlink token"',
  )
}

function refuseReachableDemo({ demo, host }: Config): void {
  if (demo === 'on' && !isLocal(host)) {
    throw new OperatorError(`--demo on shows a password to every visitor: set --host to 127.0.0.1 (it is ${host}).`, 2)
  }
}

function warnOfLocalBaseUrl({ host, baseUrl }: Config, log: Logger): void {
  if (isLocal(host) || !isLocal(new URL(baseUrl).hostname)) return
  log.warn(
    { host, baseUrl },
    'other machines can reach this service, but its links point to localhost: set --base-url to its public address',
  )
}

function isLocal(host: string): boolean {
  return /^(localhost|127\..*|\[?::1\]?)$/i.test(host)
}

/** Resolves at the first signal; a second one ends the process at once. */
function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let firstSignalAt: number | undefined
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        if (firstSignalAt !== undefined && performance.now() - firstSignalAt > sameSignalMs) process.exit(130)
        firstSignalAt ??= performance.now()
        resolve(signal)
      })
    }
  })
}

/**
 * Ctrl-C reaches every process of the terminal, and npm forwards it once more: signals this close together count as
 * one.
 */
const sameSignalMs = 300
