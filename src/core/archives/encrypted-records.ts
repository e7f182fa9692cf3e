/** What is encrypted in the records: its name, and what to do when the key is lost. */
import { counted } from '../../lib/counted.js'
import { type LostRows, type RecordTable, recordTables } from './record-tables.js'

interface Kind {
  /** In the singular. */
  readonly name: string
  /** Undefined: it expires by itself, within a day. */
  readonly remedy?: string
}

const kinds: Readonly<Record<string, Kind>> = {
  two_factors: {
    name: 'second factor',
    remedy: 'run "shortlink user two-factor-off LOGIN" for each user with a second factor',
  },
  webhooks: {
    name: 'webhook',
    remedy: 'set the URL of each webhook again and rotate its secret ("shortlink webhook list" names them)',
  },
  two_factor_setups: { name: 'unfinished second factor' },
  idempotency_keys: { name: 'kept answer' },
}

export const encryptedTables: readonly RecordTable[] = recordTables.filter(({ encrypted }) => encrypted.length > 0)

/** Those that somebody must repair. */
export const repairableTables: readonly RecordTable[] = encryptedTables.filter(({ name }) => kinds[name]?.remedy)

/** `2 second factors, 1 webhook` */
export function lostText(lost: readonly LostRows[]): string {
  return lost.map(({ table, count }) => counted(count, kinds[table]?.name ?? `row of ${table}`)).join(', ')
}

export function explainLost(lost: readonly LostRows[]): { readonly message: string; readonly remedy: string } {
  const remedies = lost.flatMap(({ table }) => kinds[table]?.remedy ?? [])
  const repair = remedies.length === 0 ? 'nothing is to be done' : remedies.join(', and ')
  return {
    message: `Cannot decrypt ${lostText(lost)}: the key that encrypted them is missing, or is another one.`,
    remedy: `Give the service the former key. If it is lost, ${repair} (docs/backup.md#secrets).`,
  }
}
