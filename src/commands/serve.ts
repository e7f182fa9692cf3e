/** Runs the service: opens the parts, mounts the edges, prints where it is, and closes everything on a signal. */
import type { Logger } from 'pino'
import type { Config } from '../config/config.js'
import { effectiveValues } from '../config/effective.js'
import type { Settings } from '../config/load.js'
import { type FirstStart, firstStart } from '../core/administration/first-start.js'
import type { StreamPlace } from '../core/stream/stream.js'
import { controlSocketPath } from '../edges/control/socket-path.js'
import { type Closable, Closing } from '../lib/closing.js'
import { createLogger } from '../lib/logger.js'
import type { Command } from './command.js'

export const serve: Command = {
  name: 'serve',
  summary: 'Run the service (this is what npm start does)',
  options: 'all',
  async run({ config, settings, print }) {
    const log = createLogger(config)
    const running = await start(settings, log, print)
    const signal = await stopSignal()
    log.info({ signal }, 'stopping: finishing requests and draining clicks; a second signal stops at once')
    await running.close()
    log.info('stopped')
  },
}

/** Opens in the order of need; what was opened is closed again in reverse, also when a later step fails. */
async function start(settings: Settings, log: Logger, print: (line: string) => void): Promise<Closable> {
  // Not before: loading all of the service takes most of a second, and --help only wants to name this command.
  const [{ createApp }, { startService }, { requireAlone, startControl }] = await Promise.all([
    import('../app.js'),
    import('../service.js'),
    import('../edges/control/server.js'),
  ])
  const { config } = settings
  const socket = controlSocketPath(config.dataDir)
  await requireAlone(socket)
  const closing = new Closing()
  try {
    const app = closing.add(await createApp(config, log))
    const { adminLogin: login, adminPassword: password, adminToken: token } = config
    const first = await firstStart(app, { login, password, token })
    if (first) introduce(first, print)
    const ears = {
      onTokenRevoked: (guid: string) => app.tokens.forget(guid),
      onAccessChanged: () => app.tokens.clear(),
    }
    closing.add(await startControl(socket, { ...app, ...ears }, log, effectiveValues(settings)))
    closing.add(await startService(app))
    greet(config, first, print)
    if (app.stream.place) pointAtStream(app.stream.place, print)
    log.info({ port: config.port, dataDir: config.dataDir }, 'serving')
    return closing
  } catch (error) {
    await closing.close()
    throw error
  }
}

/** The only place secrets are ever shown: generated ones, once, to whoever started the service, as soon as they exist. */
function introduce(first: FirstStart, print: (line: string) => void): void {
  print('')
  print(`  Admin login    ${first.login}`)
  print(`  Password       ${first.generatedPassword ?? 'as configured'}`)
  print(`  Access token   ${first.generatedToken ?? 'as configured'}`)
  print('  What was generated is not shown again: keep it.')
}

function greet(config: Config, first: FirstStart | undefined, print: (line: string) => void): void {
  const token = first?.generatedToken ?? (config.adminToken === undefined ? 'YOUR_TOKEN' : '$SHORTLINK_ADMIN_TOKEN')
  print('')
  print(`  shortlink is running at ${config.baseUrl}`)
  print('')
  print(`  curl -X POST ${config.baseUrl}/v4/shorten -H "Authorization: Bearer ${token}" \\`)
  print(`    -H "Content-Type: application/json" -d '{"long_url":"https://example.com/hello"}'`)
  if (token === 'YOUR_TOKEN') print('\n  Lost your token? "bin/shortlink token create --login LOGIN" makes a new one.')
  print('')
}

function pointAtStream({ address, fingerprint, authorityFile }: StreamPlace, print: (line: string) => void): void {
  print(`  The stream of clicks is at ${address}, with a certificate whose SHA-256 fingerprint is`)
  print(`  ${fingerprint}`)
  if (authorityFile !== undefined) print(`  Readers trust ${authorityFile}; docs/stream.md says how.`)
  print('')
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
