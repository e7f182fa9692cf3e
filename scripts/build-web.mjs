// Builds the dashboard: web/ -> dist-web/, compressed already, with the sizes that a first visit loads. Fails when a
// page is heavier than its budget.
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { build } from 'vite'
import { readArguments } from './arguments.mjs'

readArguments('node scripts/build-web.mjs')

// Whatever the shell says: with another value React's development build would be shipped.
process.env.NODE_ENV = 'production'
const root = dirname(dirname(fileURLToPath(import.meta.url)))
const final = join(root, 'dist-web')
const aside = `${final}.${process.pid}`

/** Kilobytes of script as browsers load it (brotli): the entry, the page, and everything they import at once. */
const budgets = { 'src/pages/links/LinksPage.tsx': 200 }

const begun = new Date()
await build({ configFile: join(root, 'web/vite.config.ts'), logLevel: 'warn', build: { outDir: aside } })
const manifest = JSON.parse(readFileSync(join(aside, '.vite/manifest.json'), 'utf8'))
await compressAll(aside)
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

/** Brotli's quality 10 takes half the time of 11 for 2 % more bytes. */
async function compressAll(folder) {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 10 }
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const texts = names.filter((name) => /\.(js|css|html|json|svg)$/.test(name) && !name.startsWith('.vite'))
  await Promise.all(
    texts.map(async (name) => {
      const path = join(folder, name)
      const body = readFileSync(path)
      writeFileSync(`${path}.gz`, await promisify(gzip)(body, { level: 9 }))
      writeFileSync(`${path}.br`, await promisify(brotliCompress)(body, { params }))
    }),
  )
}
