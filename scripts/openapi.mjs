// Writes docs/openapi/v4.json from the route schemas. No handler runs, so no store is opened; only the rate limits
// register each route.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import { PlatformLimits } from '../dist/core/limits/platform.js'
import { createHttp } from '../dist/edges/http/server.js'
import { v4Routes } from '../dist/edges/v4/routes.js'
import { readArguments } from './arguments.mjs'

readArguments('npm run openapi')

const platformLimits = new PlatformLimits({}, { perAccount: 0, perAddress: 0, endpoints: [] })
const parts = { config: { baseUrl: 'http://localhost:8080' }, log: pino({ level: 'silent' }), platformLimits }
const http = await createHttp(parts, {}, (routes) => v4Routes(routes, parts))
const { body } = await http.inject('/openapi.json')
await http.close()

const file = join(dirname(dirname(fileURLToPath(import.meta.url))), 'docs', 'openapi', 'v4.json')
mkdirSync(dirname(file), { recursive: true })
writeFileSync(file, `${JSON.stringify(JSON.parse(body), null, 2)}\n`)
console.log(`wrote ${file}`)
