// Writes web/src/api/schema.d.ts, the types of the API, from docs/openapi/v4.json.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const document = join(root, 'docs/openapi/v4.json')
const types = join(root, 'web/src/api/schema.d.ts')

export async function writeApiTypes() {
  const { default: openapiTypescript } = await import('openapi-typescript')
  const text = await openapiTypescript(pathToFileURL(document))
  if (!existsSync(types) || readFileSync(types, 'utf8') !== text) writeFileSync(types, text)
}
