/**
 * The main thread's handle on the thread that reads lists of links from SQLite. SQLite runs inside the process: while it
 * looks through the links of a group on the main thread, nobody is redirected. The thread has a connection of its own,
 * is started with the first list that somebody asks for, and writes nothing.
 */
import type { LinkListStore } from '../core/links/link-list-store.js'
import { Refusal, type RefusalCode } from '../core/values/refusal.js'
import type { Closable } from '../lib/closing.js'
import type { Logger } from '../lib/logger.js'
import { beginThread, WorkerSupervisor } from './worker-supervisor.js'

/** What the thread is started with. */
export interface ListThreadData {
  readonly dataDir: string
}

export type ListReads = Omit<LinkListStore, 'changeAll'>

export type ListRequest =
  | {
      readonly type: 'read'
      readonly call: number
      readonly method: keyof ListReads
      readonly args: readonly unknown[]
    }
  | { readonly type: 'close' }

export type ListReport =
  | { readonly type: 'ready' }
  | { readonly type: 'broken'; readonly message: string }
  | { readonly type: 'answer'; readonly call: number; readonly value: unknown }
  | {
      readonly type: 'failed'
      readonly call: number
      readonly message: string
      /** Of a refusal. */
      readonly code: RefusalCode | undefined
    }

/** What ending may take: a search that is under way ends with its next step. */
const closingGrace = 5_000

export class ListThread implements ListReads, Closable {
  readonly #supervisor: WorkerSupervisor<ListReport>
  #started: Promise<void> | undefined

  constructor({ dataDir }: ListThreadData, log: Logger) {
    this.#supervisor = new WorkerSupervisor<ListReport>({
      name: 'the list thread',
      sentences: {
        ended: 'The list thread ended unexpectedly.',
        died: 'the list thread died: lists of links are refused until it is back',
        cannotStart: 'the list thread cannot start',
        back: 'the list thread is back',
      },
      log,
      away,
      begin: () => beginThread('list-worker.js', { dataDir } satisfies ListThreadData),
      hear: (report) => this.#hear(report),
    })
  }

  page: ListReads['page'] = (...args) => this.#read('page', args)
  behind: ListReads['behind'] = (...args) => this.#read('behind', args)
  addressesBehind: ListReads['addressesBehind'] = (...args) => this.#read('addressesBehind', args)
  mostNamed: ListReads['mostNamed'] = (...args) => this.#read('mostNamed', args)
  hosts: ListReads['hosts'] = (...args) => this.#read('hosts', args)

  async close(): Promise<void> {
    await this.#started?.catch(() => {})
    await this.#supervisor.close((worker) => worker.postMessage({ type: 'close' } satisfies ListRequest), closingGrace)
  }

  async #read<Method extends keyof ListReads>(
    method: Method,
    args: Parameters<ListReads[Method]>,
  ): Promise<Awaited<ReturnType<ListReads[Method]>>> {
    this.#started ??= this.#start()
    await this.#started
    const answer = await this.#supervisor.ask((call) => ({ type: 'read', call, method, args }) satisfies ListRequest)
    // Said by the same method of the store on the other side.
    return answer as Awaited<ReturnType<ListReads[Method]>>
  }

  /** One that could not start is tried again by the next caller. */
  async #start(): Promise<void> {
    try {
      await this.#supervisor.start()
    } catch (error) {
      this.#started = undefined
      throw away(error instanceof Error ? error.message : String(error))
    }
  }

  #hear(report: ListReport): 'ready' | Error | undefined {
    switch (report.type) {
      case 'ready':
        return 'ready'
      case 'broken':
        return new Error(report.message)
      case 'answer':
        this.#supervisor.answer(report.call, report.value)
        return undefined
      case 'failed': {
        const { call, code, message } = report
        this.#supervisor.refuse(call, code === undefined ? new Error(message) : new Refusal(code, message))
        return undefined
      }
    }
  }
}

function away(reason: string): Refusal {
  const message = `Lists of links are not available at the moment (${reason}). Try again in a few seconds.`
  return new Refusal('TEMPORARILY_UNAVAILABLE', message, { retryAfter: 1 })
}
