/** Runs the service: opens the parts, mounts the edges, says where it is, and closes everything on a signal. */
import type { Logger } from 'pino'
import type { Config } from '../config/config.js'
import { effectiveValues } from '../config/effective.js'
import type { Settings } from '../config/load.js'
import { firstStart, ignoredAccountInput } from '../core/administration/first-start.js'
import { controlSocketPath } from '../edges/control/socket-path.js'
import { type Closable, Closing } from '../lib/closing.js'
import { createLogger } from '../lib/logger.js'
import { UnavailableError } from '../lib/operator-error.js'
import { type Announcer, announcer } from './announce.js'
import type { Command } from './command.js'
import { requireOpenFiles, requireRoom } from './require-environment.js'

export const serve: Command = {
  name: 'serve',
  summary: 'Run the service (this is what npm start does)',
  options: 'all',
  async run({ config, settings, terminal, print }) {
    const log = createLogger(config)
    const running = await start(settings, log, announcer(config, { terminal, print, log }))
    const signal = await stopSignal()
    log.info({ signal }, 'stopping: finishing requests and draining clicks; a second signal stops at once')
    await running.close()
    log.info('stopped')
  },
}

/** Opens in the order of need; what was opened is closed again in reverse, also when a later step fails. */
async function start(settings: Settings, log: Logger, announce: Announcer): Promise<Closable> {
  requireOpenFiles()
  // Not before: loading all of the service takes most of a second, and --help only wants to name this command.
  const [{ createApp }, { requirePort, startService }, { requireAlone, startControl }] = await Promise.all([
    import('../app.js'),
    import('../service.js'),
    import('../edges/control/server.js'),
  ])
  const { config } = settings
  const socket = controlSocketPath(config.dataDir)
  await requireAlone(socket)
  requireRoom(config)
  // Before anything is made: a first start that fails on its port would otherwise have used up the first credentials.
  await requirePort(config)
  warnOfLocalBaseUrl(config, log)
  const closing = new Closing()
  try {
    const app = closing.add(await createdWhenPossible(() => createApp(config, log), config, log))
    const input = firstAccountInput(settings)
    const first = await firstStart(app, input, (made) => announce.keep(made))
    if (first) announce.firstStarted(first)
    else {
      announce.discard()
      warnOfIgnoredAccountInput(await ignoredAccountInput(app, input), log)
    }
    const ears = {
      onTokenRevoked: (guid: string) => app.tokens.forget(guid),
      onAccessChanged: () => app.tokens.clear(),
    }
    closing.add(await startControl(socket, { ...app, ...ears }, log, effectiveValues(settings)))
    closing.add(await startService(app))
    announce.serving(first, app.stream.place)
    return closing
  } catch (error) {
    await closing.close()
    throw error
  }
}

/** While the database is away, links that are known from before are answered; without any the reason is told. */
async function createdWhenPossible<T>(create: () => Promise<T>, config: Config, log: Logger): Promise<T> {
  for (;;) {
    try {
      return await create()
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error
      const { serveDuringOutage } = await import('../outage.js')
      if (!(await serveDuringOutage(config, log))) throw error
    }
  }
}

/** The login has a default, which is no wish: the first user may have been given another name. */
function firstAccountInput({ config, sources }: Settings) {
  const { adminLogin, adminPassword: password, adminToken: token } = config
  return { login: sources.adminLogin.from === 'default' ? undefined : adminLogin, password, token }
}

/** They are not applied: a variable that was left in a file somewhere must not give an account away. */
function warnOfIgnoredAccountInput(ignored: readonly string[], log: Logger): void {
  if (ignored.length === 0) return
  const options = ignored.map((name) => `admin${name.charAt(0).toUpperCase()}${name.slice(1)}`)
  log.warn(
    { options },
    'these options count at the first start only and are ignored now: use "shortlink user" and "shortlink token"',
  )
}

function warnOfLocalBaseUrl({ host, baseUrl }: Config, log: Logger): void {
  if (isLocal(host) || !isLocal(new URL(baseUrl).hostname)) return
  log.warn(
    { host, baseUrl },
    'other machines can reach this service, but its links lead to localhost: set --base-url to its public address',
  )
}

function isLocal(host: string): boolean {
  return /^(localhost|127\..*|\[?::1\]?)$/i.test(host)
}

/** Resolves at the first signal. From then on a second one ends the process at once. */
function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let askedAt: number | undefined
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        if (askedAt !== undefined && performance.now() - askedAt > onePress) process.exit(130)
        askedAt ??= performance.now()
        resolve(signal)
      })
    }
  })
}

/** Ctrl-C reaches every program of the terminal, and npm passes it on once more: what follows this soon is no second one. */
const onePress = 300
