/**
 * The main thread's handle on the thread that reads lists from SQLite. SQLite runs in the process: a scan of a
 * group's links or of the audit log on the main thread would block redirects. So every read without a small bound
 * runs here. The thread has its own read-only connection and starts with the first list.
 */
import type { AuditStore } from '../core/accounts/audit-store.js'
import type { CampaignStore } from '../core/campaigns/campaign-store.js'
import type { LinkStore } from '../core/links/link-store.js'

import type { QrCodeStore } from '../core/qr-codes/qr-code-store.js'
import type { UsageStore } from '../core/usage/usage-store.js'
import { Refusal } from '../core/values/refusal.js'
import type { Closable } from '../lib/closing.js'
import type { Logger } from '../lib/logger.js'
import { beginThread, WorkerSupervisor } from './worker-supervisor.js'

/** Start data of the thread. */
export interface ListThreadData {
  readonly dataDir: string
}

/** Store methods that run in the thread. */
const methods = {
  links: [
    'page',
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
} as const satisfies { readonly [Store in keyof Stores]: readonly (keyof Stores[Store])[] }

interface Stores {
  readonly links: LinkStore
  readonly qrCodes: QrCodeStore
  readonly campaigns: CampaignStore
  readonly usage: UsageStore
  readonly audit: AuditStore
}

type StoreName = keyof typeof methods

export type ListReads = {
  readonly [Store in StoreName]: Pick<Stores[Store], Extract<(typeof methods)[Store][number], keyof Stores[Store]>>
}

/** The methods of the list thread. */
export interface ListThreadMethods {
  read(store: StoreName, method: string, args: readonly unknown[]): Promise<unknown>
  close(): void
}

/** Time to close: a running search ends with its next step. */
const closingGrace = 5_000

export class ListThread implements Closable {
  readonly #supervisor: WorkerSupervisor<ListThreadMethods>
  readonly #onDamage: () => void

  /** `onDamage`: a list could not be read because the file is damaged. */
  constructor({ dataDir }: ListThreadData, log: Logger, onDamage: () => void = () => {}) {
    this.#onDamage = onDamage
    this.#supervisor = new WorkerSupervisor<ListThreadMethods>({
      name: 'the list thread',
      sentences: {
        ended: 'The list thread ended unexpectedly.',
        died: 'list thread died; lists fail until it is running again',
        cannotStart: 'cannot start the list thread',
        back: 'list thread is running again',
      },
      log,
      away,
      begin: () => beginThread('list-worker.js', { dataDir } satisfies ListThreadData),
    })
  }

  /** The reads of a store that run in the thread. */
  readsOf<Store extends StoreName>(store: Store): ListReads[Store] {
    const reads = methods[store].map((method) => [
      method,
      (...args: readonly unknown[]) => this.#read(store, method, args),
    ])
    // The thread runs the same method of the store.
    return Object.fromEntries(reads) as ListReads[Store]
  }

  async close(): Promise<void> {
    await this.#supervisor.close([], closingGrace)
  }

  async #read(store: StoreName, method: string, args: readonly unknown[]): Promise<unknown> {
    await this.#supervisor.startOnce()
    try {
      return await this.#supervisor.call('read', store, method, args)
    } catch (error) {
      if (error instanceof Refusal && error.code === 'STORAGE_DAMAGED') this.#onDamage()
      throw error
    }
  }
}

function away(reason: string): Refusal {
  const message = `Lists are not available at the moment (${reason}). Try again in a few seconds.`
  return new Refusal('TEMPORARILY_UNAVAILABLE', message, { retryAfter: 1 })
}
