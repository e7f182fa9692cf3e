// Doing much at once: each part measures one way and returns rows.
import { join } from 'node:path'
import { bulkShorten } from '../bulk/bulk-shorten.mjs'
import { exportClicks } from '../bulk/export-clicks.mjs'
import { importLinks } from '../bulk/import-links.mjs'

export { open } from '../bulk/bulk-shorten.mjs'

const parts = { 'bulk-shorten': bulkShorten, 'import-links': importLinks, 'export-clicks': exportClicks }

export async function run({ directory, say }) {
  const rows = []
  for (const [name, part] of Object.entries(parts)) {
    rows.push(...(await part({ directory: join(directory, name), say: (text) => say(`${name}: ${text}`) })))
  }
  return rows
}
