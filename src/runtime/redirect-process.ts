/**
 * A process that answers redirects beside the main process (redirect-processes.ts), with a journal of its own. It listens on
 * the socket of the main process, and gives it every connection that is not for a plain short link. A composition root
 * like app.ts, of little: it must not load the rest of the service.
 */
import type { Server, Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { Domains } from '../core/domains/domains.js'
import { RedirectCache } from '../core/links/redirect-cache.js'
import { MobileAppTable } from '../core/mobile-apps/mobile-app-table.js'
import { systemClock } from '../core/values/time.js'
import { AccessLog } from '../edges/http/access-log.js'
import { FastPath } from '../edges/redirect/fast-path.js'
import { type RedirectHandler, redirectHandler } from '../edges/redirect/handler.js'
import { Closing } from '../lib/closing.js'
import type { LogLevel } from '../lib/logger.js'
import { openGeography } from '../storage/geography/mmdb.js'
import type { FileJournal } from '../storage/journal/journal.js'
import { openJournal, openJournalCopy } from './journals.js'
import { keepAliveTimeoutOf } from './keep-alive.js'
import type {
  ProcessConfig,
  ProcessData,
  ProcessOwner,
  ProcessStatus,
  RedirectProcessMethods,
} from './process-messages.js'
import { openRecords } from './stores/open-records.js'
import { type Calls, ThreadCalls } from './threads/thread-calls.js'

const tellEvery = 50
/** Until the first request of a connection, as node:http has it. */
const firstTimeout = 60_000

class RedirectProcess {
  readonly #closing: Closing
  readonly #journal: FileJournal
  readonly #redirects: RedirectHandler
  readonly #fastPath: FastPath
  readonly #timeouts: { readonly first: number; readonly next: number }
  readonly #domains: Domains
  readonly #mobileAppTable: MobileAppTable
  #server: Server | undefined

  static async open({ config, number }: ProcessData): Promise<RedirectProcess> {
    const closing = new Closing()
    const records = closing.add(await openRecords(config))
    const { baseUrl, domains: builtIn, domainAliases: aliases } = config
    const onFailure = (err: unknown) =>
      log.error({ err }, 'cannot refresh the short domains; using the last known ones')
    const domains = closing.add(new Domains({ ...records, onFailure }, { builtIn, aliases, baseUrl }))
    await domains.start()
    const mobileAppTable = new MobileAppTable({ ...records, clock: systemClock })
    const accessLog = config.accessLog === undefined ? undefined : closing.add(openAccessLog(config, config.accessLog))
    const writing = new Writing(() => redirecting.status())
    const copy = openJournalCopy(config, log, number)
    if (copy) closing.add(copy)
    const journal = closing.add(openJournal(config, log, { onWrite: writing.wrote, copy }, number))
    const redirects = redirectHandler({
      domains,
      journal,
      mobileAppTable,
      accessLog,
      config,
      log,
      clock: systemClock,
      redirectCache: new RedirectCache({ ...records, clock: systemClock }, config.redirectCacheSize),
      geography: openGeography(config.geography),
    })
    const timeouts = { first: firstTimeout, next: keepAliveTimeoutOf(config) }
    const redirecting = new RedirectProcess({ closing, journal, redirects, timeouts, domains, mobileAppTable })
    return redirecting
  }

  private constructor(deps: OpenedDeps) {
    this.#closing = deps.closing
    this.#journal = deps.journal
    this.#redirects = deps.redirects
    this.#timeouts = deps.timeouts
    this.#domains = deps.domains
    this.#mobileAppTable = deps.mobileAppTable
    this.#fastPath = new FastPath(deps.redirects)
  }

  listen(server: Server): void {
    this.#server = server
    // As node:http has it, for connections that are accepted from now on.
    Object.assign(server, { allowHalfOpen: true, noDelay: true })
    this.#fastPath.serve(server, this.#timeouts, giveAway)
  }

  status(): ProcessStatus {
    const { counts, times } = this.#redirects
    const { counts: buckets, sum } = times
    return { journal: this.#journal.status(), counts, times: { counts: buckets, sum } }
  }

  rotate(): void {
    this.#journal.rotate()
  }

  domainsChanged(): Promise<void> {
    return this.#domains.refresh()
  }

  mobileAppsChanged(): void {
    this.#mobileAppTable.forget()
  }

  async close(timeLimit: number, grace: number): Promise<ProcessStatus> {
    const closed = new Promise<void>((resolve) => (this.#server ? this.#server.close(() => resolve()) : resolve()))
    this.#fastPath.close(grace)
    await Promise.race([closed, wait(timeLimit, undefined, { ref: false })])
    // Nobody must be answered whose click cannot be written.
    this.#fastPath.destroy()
    await this.#closing.close()
    return this.status()
  }

  /** The main process is gone, and the next one will start another process with this journal. */
  abandon(): void {
    this.#journal.close()
  }
}

interface OpenedDeps {
  readonly closing: Closing
  readonly journal: FileJournal
  readonly redirects: RedirectHandler
  readonly timeouts: { readonly first: number; readonly next: number }
  readonly domains: Domains
  readonly mobileAppTable: MobileAppTable
}

/** Tells the main process that rows were written: not of each one, but soon. */
class Writing {
  readonly #status: () => ProcessStatus
  #telling: NodeJS.Timeout | undefined
  #before = performance.eventLoopUtilization()

  constructor(status: () => ProcessStatus) {
    this.#status = status
  }

  readonly wrote = (): void => {
    this.#telling ??= setTimeout(() => {
      this.#telling = undefined
      const now = performance.eventLoopUtilization()
      const { utilization } = performance.eventLoopUtilization(now, this.#before)
      this.#before = now
      main.tell('wrote', [utilization * 100, this.#status()])
    }, tellEvery)
  }
}

function openAccessLog({ accessLogIp }: ProcessConfig, file: string): AccessLog {
  const onFailure = (err: unknown) => log.error({ err }, 'cannot write the access log; requests are not logged')
  return new AccessLog({ file, withIp: accessLogIp === 'on' }, onFailure)
}

/** Sends a connection to the main process. It must not be read here any more: its bytes would be lost. */
function giveAway(socket: Socket, bytes: Buffer): void {
  socket.on('error', () => {})
  socket.pause()
  // An answer that is still being written comes first.
  if (socket.writableLength > 0) {
    socket.write('', () => send(socket, bytes))
    return
  }
  send(socket, bytes)
}

function send(socket: Socket, before: Buffer): void {
  if (socket.destroyed || !process.connected) return void socket.destroy()
  const unread: Buffer | null = socket.read()
  const bytes = unread ? Buffer.concat([before, unread]) : before
  stopReading(socket)
  // Otherwise both processes would count the connection as one of the listening server.
  Object.assign(socket, { server: null })
  process.send?.({ type: 'connection', bytes }, socket, { keepOpen: false }, () => socket.destroy())
}

/** Node has no public way: `pause` keeps reading into memory. */
function stopReading(socket: Socket): void {
  const { _handle: handle } = socket as unknown as { readonly _handle: Handle | null }
  if (!handle) return
  handle.reading = false
  handle.readStop()
}

interface Handle {
  reading: boolean
  readStop(): void
}

if (!process.send) throw new Error('redirect-process.js is started by the service')
// A terminal and a service manager signal all processes; the main process says when this one ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})

let opened: RedirectProcess | undefined

const methods: RedirectProcessMethods = {
  async begin(data) {
    opened = await RedirectProcess.open(data)
    return opened.status()
  },
  status: () => running().status(),
  rotate: () => running().rotate(),
  domainsChanged: () => running().domainsChanged(),
  mobileAppsChanged: () => running().mobileAppsChanged(),
  async close(timeLimit, grace) {
    const last = await running().close(timeLimit, grace)
    opened = undefined
    return last
  },
}

const channel: Calls = {
  postMessage: (message) => void (process.connected && process.send?.(message, undefined, {}, () => {})),
  on: (_, listener) =>
    process.on('message', (message, handle) => {
      if ((message as { readonly type: string }).type !== 'listen') listener(message)
      // Undefined if it was closed meanwhile.
      else if (handle) running().listen(handle as Server)
    }),
}
const main = new ThreadCalls<ProcessOwner>(channel, methods)
const tellLog = (level: LogLevel) => (fields: object, message: string) =>
  main.tell('log', [level, { ...fields }, message])
const log = { debug: tellLog('debug'), info: tellLog('info'), warn: tellLog('warn'), error: tellLog('error') }

process.on('disconnect', () => {
  opened?.abandon()
  process.exit()
})

function running(): RedirectProcess {
  if (!opened) throw new Error('The process has not begun.')
  return opened
}
