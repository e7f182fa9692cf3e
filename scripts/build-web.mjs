// Builds the dashboard: web/ -> dist-web/, compressed already, with the sizes that a first visit loads. Fails when a
// page is heavier than its budget.
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { build } from 'vite'
import { writeApiTypes } from './api-types.mjs'
import { readArguments } from './arguments.mjs'

readArguments('node scripts/build-web.mjs')

// Whatever the shell says: with another value React's development build would be shipped.
process.env.NODE_ENV = 'production'
const root = dirname(dirname(fileURLToPath(import.meta.url)))
const final = join(root, 'dist-web')
const aside = `${final}.${process.pid}`

/** Kilobytes of script as browsers load it (brotli): the entry, the page, and everything they import at once. */
const budgets = { 'src/pages/links/LinksPage.tsx': 200 }

await writeApiTypes()
const begun = new Date()
await build({ configFile: join(root, 'web/vite.config.ts'), logLevel: 'warn', build: { outDir: aside } })
const manifest = JSON.parse(readFileSync(join(aside, '.vite/manifest.json'), 'utf8'))
compressAll(aside)
const exceeded = Object.entries(budgets).filter(([page, budget]) => {
  const kilobytes = scriptsOf(page).reduce((sum, file) => sum + transferred(file), 0) / 1000
  console.error(`Dashboard: ${page} loads ${kilobytes.toFixed(0)} kB of script (budget ${budget} kB)`)
  return kilobytes > budget
})
if (exceeded.length > 0) {
  rmSync(aside, { recursive: true })
  console.error('The dashboard is heavier than its budget (see above). Load parts of the page on demand.')
  process.exit(1)
}
writeFileSync(join(aside, '.built'), '')
utimesSync(join(aside, '.built'), begun, begun)
if (existsSync(final)) renameSync(final, `${aside}.old`)
renameSync(aside, final)
rmSync(`${aside}.old`, { recursive: true, force: true })

function scriptsOf(page) {
  const files = new Set()
  const visit = (name) => {
    const { file, imports = [] } = manifest[name]
    if (files.has(file)) return
    files.add(file)
    imports.forEach(visit)
  }
  visit('index.html')
  visit(page)
  return [...files]
}

function transferred(file) {
  return readFileSync(join(aside, `${file}.br`)).length
}

function compressAll(folder) {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!/\.(js|css|html|json|svg)$/.test(name) || name.startsWith('.vite')) continue
    const path = join(folder, name)
    const body = readFileSync(path)
    writeFileSync(`${path}.gz`, gzipSync(body, { level: 9 }))
    writeFileSync(`${path}.br`, brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }))
  }
}
