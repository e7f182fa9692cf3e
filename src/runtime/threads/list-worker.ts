/** Reads lists from SQLite: the same stores as on the main thread, over a connection of its own. */
import type { AuditStore } from '../../core/accounts/audit-store.js'
import type { CampaignStore } from '../../core/campaigns/campaign-store.js'
import type { LinkStore } from '../../core/links/link-store.js'
import type { QrCodeStore } from '../../core/qr-codes/qr-code-store.js'
import type { UsageStore } from '../../core/usage/usage-store.js'
import { callByName } from '../../lib/pass-on.js'
import { openSqlite } from '../../storage/records/sqlite.js'
import { recordsFile } from '../../storage/sql/records-file.js'

export interface ListThreadData {
  readonly dataDir: string
}

export interface ListStores {
  readonly links: LinkStore
  readonly qrCodes: QrCodeStore
  readonly campaigns: CampaignStore
  readonly usage: UsageStore
  readonly audit: AuditStore
}

export interface ListThreadMethods {
  read(store: keyof ListStores, method: string, args: readonly unknown[]): Promise<unknown>
  close(): Promise<void>
}

export async function serve({ dataDir }: ListThreadData): Promise<ListThreadMethods> {
  const records = await openSqlite(recordsFile(dataDir))
  return {
    read: async (store, method, args) => callByName(records[store], method, args),
    close: () => records.close(),
  }
}
