// Writes docs/openapi/*.json from the route schemas. No handler runs, so no store is opened; only the rate limits
// register each route.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import { PlatformLimits } from '../dist-modules/core/limits/platform.js'
import { createHttp } from '../dist-modules/edges/http/server.js'
import { oauthRoutes } from '../dist-modules/edges/oauth/routes.js'
import { authorizeRoutes } from '../dist-modules/edges/pages/authorize.js'
import { v3Routes } from '../dist-modules/edges/v3/routes.js'
import { v4Routes } from '../dist-modules/edges/v4/routes.js'
import { readArguments } from './arguments.mjs'

readArguments('npm run openapi')

const platformLimits = new PlatformLimits({}, { perAccount: 0, perAddress: 0, endpoints: [] })
const parts = { config: { baseUrl: 'http://localhost:8080' }, log: pino({ level: 'silent' }), platformLimits }
const http = await createHttp(parts, {}, (routes) => {
  v4Routes(routes, parts)
  v3Routes(routes, parts)
  oauthRoutes(routes, parts)
  authorizeRoutes(routes, parts)
})
const folder = join(dirname(dirname(fileURLToPath(import.meta.url))), 'docs', 'openapi')
mkdirSync(folder, { recursive: true })
for (const [url, name] of [
  ['/openapi.json', 'v4.json'],
  ['/docs/v3.json', 'v3.json'],
]) {
  const { body } = await http.inject(url)
  writeFileSync(join(folder, name), `${JSON.stringify(JSON.parse(body), null, 2)}\n`)
  console.log(`wrote ${join(folder, name)}`)
}
await http.close()
