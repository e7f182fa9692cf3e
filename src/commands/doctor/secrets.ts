/** Whether the key decrypts what is encrypted in the records. */
import { type Finding, wrong } from '../../core/administration/finding.js'
import { explainLost, repairableKinds } from '../../core/copies/encrypted-records.js'
import type { Records } from '../../storage/records/records.js'

export async function examineSecrets({ tables }: Pick<Records, 'tables'>): Promise<Finding[]> {
  const lost = await tables.undecryptable(repairableKinds)
  if (lost.length === 0) return []
  const { message, remedy } = explainLost(lost)
  return [wrong('secrets', message, remedy)]
}
