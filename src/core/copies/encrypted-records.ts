/** What is encrypted in the records, and what to do when the key is lost. */
import { counted } from '../../lib/counted.js'
import type { LostRows, SecretKind } from './record-tables.js'

/** Undefined: it expires by itself, within a day. A session whose tokens are lost ends at its next check. */
const remedies: Readonly<Record<SecretKind, string | undefined>> = {
  webhook: 'set the URL of each webhook again and rotate its secret ("shortlink webhook list" names them)',
  'second factor': 'run "shortlink user two-factor-off LOGIN" for each user with a second factor',
  'kept answer': undefined,
  'unfinished second factor': undefined,
  'provider session': undefined,
}

export const secretKinds = Object.keys(remedies) as readonly SecretKind[]

/** Those that somebody must repair. */
export const repairableKinds: readonly SecretKind[] = secretKinds.filter((kind) => remedies[kind])

/** `2 second factors, 1 webhook` */
export function lostText(lost: readonly LostRows[]): string {
  return lost.map(({ kind, count }) => counted(count, kind)).join(', ')
}

export function explainLost(lost: readonly LostRows[]): { readonly message: string; readonly remedy: string } {
  const steps = lost.flatMap(({ kind }) => remedies[kind] ?? [])
  const repair = steps.length === 0 ? 'nothing is to be done' : steps.join(', and ')
  return {
    message: `Cannot decrypt ${lostText(lost)}: the key that encrypted them is missing, or is another one.`,
    remedy: `Give the service the former key. If it is lost, ${repair} (docs/backup.md#secrets).`,
  }
}
