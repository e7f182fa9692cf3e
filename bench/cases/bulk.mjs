// Doing much at once: each part measures one way and returns rows.
import { join } from 'node:path'
import { bulkShorten } from '../bulk/bulk-shorten.mjs'
import { importLinks } from '../bulk/import-links.mjs'

const parts = { 'bulk-shorten': bulkShorten, 'import-links': importLinks }

export async function run({ directory, say }) {
  const rows = []
  for (const [name, part] of Object.entries(parts)) {
    rows.push(...(await part({ directory: join(directory, name), say: (text) => say(`${name}: ${text}`) })))
  }
  return rows
}
