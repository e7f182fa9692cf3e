/**
 * The other processes that answer redirects (redirect-process.ts), seen from the main process: starts them, gives them its
 * listening socket, takes over connections that are not for them, and replaces those that die. Their journals are
 * delivered by the click thread, also while nobody writes them.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Config } from '../config/config.js'
import type { JournalStatus } from '../core/clicks/journal.js'
import { Histogram } from '../edges/http/figures.js'
import type { RedirectCounts } from '../edges/redirect/handler.js'
import type { Closable } from '../lib/closing.js'
import { installation } from '../lib/installation.js'
import type { Logger } from '../lib/logger.js'
import { messageOf } from '../lib/message-of.js'
import { within } from '../lib/within.js'
import { otherJournals } from '../storage/journal/folders.js'
import { type OtherJournal, RestingJournal } from './journals.js'
import {
  type ProcessOwner,
  type ProcessStatus,
  processConfig,
  type RedirectProcessMethods,
} from './process-messages.js'
import type { ClickThread } from './threads/click-thread.js'
import { type Calls, ThreadCalls } from './threads/thread-calls.js'

/** What all processes share: the server whose socket they listen on, and who takes their other connections. */
export interface SharedPort {
  readonly server: Server
  /** The bytes were read from the connection and come before the others. */
  take(socket: Socket, bytes: Uint8Array): void
}

type Deps = Pick<ClickThread, 'deliveredOf' | 'othersWrote'>
type Rest = (deliveredOf: Deps['deliveredOf']) => RestingJournal

export class RedirectProcesses implements Closable {
  readonly #all: readonly RedirectProcess[]
  /** Of these processes, and of former ones. */
  readonly journals: readonly OtherJournal[]

  constructor(config: Config, log: Logger, deps: Deps) {
    const journals = otherJournals(config.dataDir).map((number) => {
      const processLog = log.child({ process: number })
      const rest: Rest = (deliveredOf) => new RestingJournal(config, processLog, number, deliveredOf)
      const isWanted = number <= config.processes
      return isWanted ? new RedirectProcess(config, number, processLog, deps, rest) : rest(deps.deliveredOf)
    })
    this.journals = journals
    this.#all = journals.filter((journal) => journal instanceof RedirectProcess)
  }

  /** Does not wait until they run. */
  start(port: SharedPort): void {
    for (const each of this.#all) each.start(port)
  }

  /** Without the main process. */
  get wanted(): number {
    return this.#all.length
  }

  get running(): number {
    return this.#all.filter(({ isRunning }) => isRunning).length
  }

  get restarts(): number {
    return this.#all.reduce((sum, { restarts }) => sum + restarts, 0)
  }

  /** The figures of the main process with those of the others. */
  figures(own: Figures): Figures {
    const all = this.#all
    if (all.length === 0) return own
    return {
      get counts() {
        return all.reduce((sum, { counts }) => addedCounts(sum, counts), own.counts)
      },
      get times() {
        const sum = new Histogram()
        for (const { times } of [own, ...all]) sum.add(times)
        return sum
      },
    }
  }

  domainsChanged(): void {
    for (const each of this.#all) each.tell('domainsChanged')
  }

  mobileAppsChanged(): void {
    for (const each of this.#all) each.tell('mobileAppsChanged')
  }

  /** They answer what they have begun, and end. */
  async close(timeLimit = 5_000, grace = 0): Promise<void> {
    await Promise.all(this.#all.map((each) => each.close(timeLimit, grace)))
  }
}

interface Figures {
  readonly counts: Readonly<RedirectCounts>
  readonly times: Histogram
}

class RedirectProcess implements OtherJournal {
  readonly journalId: string
  readonly #config: Config
  readonly #number: number
  readonly #log: Logger
  readonly #deps: Deps
  readonly #rest: Rest
  readonly #closed = new AbortController()
  #child: ChildProcess | undefined
  #running: { readonly child: ChildProcess; readonly calls: ThreadCalls<RedirectProcessMethods> } | undefined
  #supervising: Promise<void> = Promise.resolve()
  restarts = 0
  /** Of the processes before the present one. */
  #before: ProcessStatus
  #latest: ProcessStatus

  constructor(config: Config, number: number, log: Logger, deps: Deps, rest: Rest) {
    this.#config = config
    this.#number = number
    this.#log = log
    this.#deps = deps
    this.#rest = rest
    const { journalId, journal } = rest(deps.deliveredOf)
    this.journalId = journalId
    this.#before = { journal, counts: noCounts, times: new Histogram() }
    this.#latest = this.#before
  }

  get isRunning(): boolean {
    return this.#running !== undefined
  }

  get journal(): JournalStatus {
    const { journal } = this.#latest
    const { recorded, lost } = this.#before.journal
    return this.#latest === this.#before
      ? journal
      : { ...journal, recorded: recorded + journal.recorded, lost: lost + journal.lost }
  }

  get counts(): Readonly<RedirectCounts> {
    const { counts } = this.#latest
    return this.#latest === this.#before ? counts : addedCounts(this.#before.counts, counts)
  }

  get times(): Histogram {
    const sum = new Histogram()
    for (const { times } of new Set([this.#before, this.#latest])) sum.add(times)
    return sum
  }

  start(port: SharedPort): void {
    this.#supervising = this.#supervise(port)
  }

  async refresh(): Promise<void> {
    const calls = this.#running?.calls
    if (!calls) return
    // A process that ends or hangs keeps what was last known.
    const status = await within(askTimeout, calls.methods.status(), 'The process').catch(() => undefined)
    if (status && this.#running?.calls === calls) this.#latest = status
  }

  rotate(): void {
    this.tell('rotate')
  }

  tell(name: 'rotate' | 'domainsChanged' | 'mobileAppsChanged'): void {
    this.#running?.calls.tell(name, [])
  }

  async close(timeLimit: number, grace: number): Promise<void> {
    this.#closed.abort()
    if (this.#running) {
      const { child, calls } = this.#running
      const ended = once(child, 'exit')
      const status = within(timeLimit + closingGrace, calls.methods.close(timeLimit, grace), 'The process')
      await status.then(
        (last) => {
          this.#latest = last
        },
        (err: unknown) => this.#log.warn({ err }, 'a process for redirects did not close in time'),
      )
      if (child.connected) child.disconnect()
      if ((await Promise.race([ended, wait(closingGrace, 'late', { ref: false })])) === 'late') child.kill('SIGKILL')
    }
    // One that still starts has answered nobody.
    this.#child?.kill('SIGKILL')
    await this.#supervising
  }

  /** Runs the process, and others after it, until it is closed. Never rejects. */
  async #supervise(port: SharedPort): Promise<void> {
    for (let pause = firstPause; !this.#closed.signal.aborted; pause = Math.min(pause * 2, maxPause)) {
      const began = performance.now()
      const reason = await this.#run(port)
      this.#settle()
      if (this.#closed.signal.aborted) return
      if (performance.now() - began > healthyAfter) pause = firstPause
      this.#log.error(
        { reason, retryIn: pause },
        'a process for redirects ended; the others answer, its clicks are kept',
      )
      await wait(pause, undefined, { signal: this.#closed.signal }).catch(() => {})
      this.restarts++
    }
  }

  /** Resolves with the reason when it has ended. */
  #run({ server, take }: SharedPort): Promise<string> {
    const { accessLog } = this.#config
    // Lines of an access log on standard output must stay whole.
    const stdout = accessLog === '-' ? 'pipe' : 'inherit'
    const child = fork(program, [], {
      execArgv: [],
      serialization: 'advanced',
      stdio: ['ignore', stdout, 'inherit', 'ipc'],
    })
    this.#child = child
    if (child.stdout) passLines(child.stdout)
    const owner: ProcessOwner = {
      log: (level, fields, message) => this.#log[level](fields, message),
      wrote: (busy, status) => {
        // What arrives after its end is not added to what was kept of it.
        if (this.#child === child) this.#latest = status
        this.#deps.othersWrote(busy)
      },
    }
    const calls = new ThreadCalls<RedirectProcessMethods>(callsOf(child, take), owner)
    const ended = new Promise<string>((resolve) => {
      child.once('error', (error) => {
        child.kill('SIGKILL')
        resolve(messageOf(error))
      })
      child.once('exit', (code, signal) => resolve(`it ended with ${signal ?? `code ${code}`}`))
    })
    const begun = calls.methods.begin({ config: processConfig(this.#config), number: this.#number }).then(
      (status) => {
        if (this.#closed.signal.aborted) return
        this.#latest = status
        this.#running = { child, calls }
        // What does not arrive is told by its end.
        child.send({ type: 'listen' }, server, () => {})
      },
      (error: unknown) => {
        child.kill('SIGKILL')
        return messageOf(error)
      },
    )
    return ended.then(async (reason) => {
      this.#child = undefined
      this.#running = undefined
      calls.end(new Error(reason))
      return (await begun) ?? reason
    })
  }

  /** What was last known of the process is kept; its journal says which row is the last. */
  #settle(): void {
    const { counts, times, journal } = this
    try {
      // Its rows survived it: none of their numbers is used again.
      const { lastRow, skipped, lostEver, lastLostAt } = this.#rest(() => 0).journal
      this.#before = {
        counts,
        times,
        journal: { ...journal, lastRow, skipped, lostEver, lastLostAt, failure: undefined },
      }
    } catch (err) {
      this.#before = { counts, times, journal }
      this.#log.error({ err }, 'cannot read the journal of a process for redirects; trying again when it runs')
    }
    this.#latest = this.#before
  }
}

/** As built, like the worker threads. */
const program = fileURLToPath(new URL('dist/runtime/redirect-process.js', installation))

const firstPause = 200
const maxPause = 30_000
/** A process that ran this long was healthy: the next restart is a quick one again. */
const healthyAfter = 60_000
const askTimeout = 1_000
/** Beyond the time that requests get. */
const closingGrace = 5_000

const noCounts: RedirectCounts = { redirects: 0, pages: 0, missing: 0, gone: 0, failed: 0 }

function addedCounts(one: Readonly<RedirectCounts>, other: Readonly<RedirectCounts>): Readonly<RedirectCounts> {
  return {
    redirects: one.redirects + other.redirects,
    pages: one.pages + other.pages,
    missing: one.missing + other.missing,
    gone: one.gone + other.gone,
    failed: one.failed + other.failed,
  }
}

function callsOf(child: ChildProcess, take: SharedPort['take']): Calls {
  return {
    postMessage: (message) => void (child.connected && child.send(message as object, () => {})),
    on: (_, listen) =>
      child.on('message', (message, handle) => {
        const { type, bytes } = message as { readonly type: string; readonly bytes: Uint8Array }
        if (type !== 'connection') listen(message)
        // Undefined if it was closed meanwhile.
        else if (handle) take(handle as Socket, bytes)
      }),
  }
}

function passLines(from: NodeJS.ReadableStream): void {
  let rest = ''
  from.setEncoding('utf8').on('data', (text: string) => {
    const end = text.lastIndexOf('\n') + 1
    if (end > 0) process.stdout.write(rest + text.slice(0, end))
    rest = end > 0 ? text.slice(end) : rest + text
  })
}
