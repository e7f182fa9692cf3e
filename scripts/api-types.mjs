// Writes web/src/api/schema.d.ts, the types of the API, from docs/openapi/v4.json. The build does without it; the type
// check and the tests do not.
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import openapiTypescript from 'openapi-typescript'
import { readArguments } from './arguments.mjs'

readArguments('node scripts/api-types.mjs')

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const text = await openapiTypescript(pathToFileURL(join(root, 'docs/openapi/v4.json')))
writeFileSync(join(root, 'web/src/api/schema.d.ts'), text)
