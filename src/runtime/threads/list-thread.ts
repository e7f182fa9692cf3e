/**
 * Stores whose lists are read in a thread (list-worker.ts). SQLite runs in the process: a scan of a
 * group's links or of the audit log on the main thread would block redirects. So every read without a small bound
 * runs here. The thread has its own read-only connection and starts with the first list.
 */
import { Refusal } from '../../core/values/refusal.js'
import type { Closable } from '../../lib/closing.js'
import type { Logger } from '../../lib/logger.js'
import type { ListStores, ListThreadData, ListThreadMethods } from './list-worker.js'
import { startModule } from './start-module.js'
import { WorkerThread } from './worker-thread.js'

/** Store methods that run in the thread. */
const methods = {
  links: [
    'page',
    'count',
    'linksAt',
    'addressesAt',
    'withMostKeywords',
    'hosts',
    'isKnownLongUrl',
    'groupLinkTo',
    'addressesLeadingTo',
    'encoders',
    'encoderCount',
  ],
  qrCodes: ['page', 'standAlone'],
  campaigns: ['campaigns', 'channels', 'contents', 'linkCounts', 'channelNames'],
  usage: ['perDay', 'perGroup', 'firstDay', 'linksPerMinute', 'firstLinkAt'],
  audit: ['list'],
} as const satisfies { readonly [Store in keyof ListStores]: readonly (keyof ListStores[Store])[] }

export class ListThread implements Closable {
  readonly #thread: WorkerThread<ListThreadMethods>
  readonly #onDamage: () => void

  /** `onDamage`: a list could not be read because the file is damaged. */
  constructor({ dataDir }: ListThreadData, log: Logger, onDamage: () => void = () => {}) {
    this.#onDamage = onDamage
    this.#thread = new WorkerThread<ListThreadMethods>({
      name: 'list thread',
      begin: () => startModule('lists', { dataDir } satisfies ListThreadData),
      unavailable: 'Lists are not available at the moment',
      meanwhile: 'lists fail until it is running again',
      log,
      // A running search ends with its next step.
      closingTime: 5_000,
    })
  }

  /** The stores with their lists in the thread. */
  over(stores: ListStores): ListStores {
    const all = Object.entries(methods).map(([name, listed]) => {
      const store = name as keyof ListStores
      const reads = listed.map((method) => [method, (...args: readonly unknown[]) => this.#read(store, method, args)])
      return [store, { ...stores[store], ...Object.fromEntries(reads) }]
    })
    // The thread runs the same methods of the same stores.
    return Object.fromEntries(all) as ListStores
  }

  async close(): Promise<void> {
    await this.#thread.close()
  }

  async #read(store: keyof ListStores, method: string, args: readonly unknown[]): Promise<unknown> {
    try {
      return await this.#thread.methods.read(store, method, args)
    } catch (error) {
      if (error instanceof Refusal && error.code === 'STORAGE_DAMAGED') this.#onDamage()
      throw error
    }
  }
}
