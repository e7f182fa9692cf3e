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

/** Kilobytes of script as browsers load it (brotli): Home, Links, a link and Analytics, with everything they import. */
const budget = 200

const begun = new Date()
await build({ configFile: join(root, 'web/vite.config.ts'), logLevel: 'warn', build: { outDir: aside } })
await compressAll(aside)
const kilobytes = firstScripts().reduce((sum, file) => sum + transferred(file), 0) / 1000
console.error(`Dashboard: a first visit loads ${kilobytes.toFixed(0)} kB of script (budget ${budget} kB)`)
if (kilobytes > budget) {
  rmSync(aside, { recursive: true })
  console.error('The dashboard is heavier than its budget (see above). Load parts of it on demand.')
  process.exit(1)
}
writeFileSync(join(aside, '.built'), '')
utimesSync(join(aside, '.built'), begun, begun)
if (existsSync(final)) renameSync(final, `${aside}.old`)
renameSync(aside, final)
rmSync(`${aside}.old`, { recursive: true, force: true })

/** Those that the page itself names, and the first steps, which Home loads for newcomers. */
function firstScripts() {
  const page = readFileSync(join(aside, 'index.html'), 'utf8')
  const named = [...page.matchAll(/\/app\/(assets\/[^"]+\.js)"/g)].map(([, file]) => file)
  const manifest = JSON.parse(readFileSync(join(aside, '.vite/manifest.json'), 'utf8'))
  return [...named, manifest['src/pages/home/Start.tsx'].file]
}

function transferred(file) {
  return readFileSync(join(aside, `${file}.br`)).length
}

/** Brotli's quality 10 takes half the time of 11 for 2 % more bytes: too many for what every first visit loads. */
async function compressAll(folder) {
  const first = new Set(firstScripts())
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const texts = names.filter((name) => /\.(js|css|html|json|svg)$/.test(name) && !name.startsWith('.vite'))
  await Promise.all(
    texts.map(async (name) => {
      const path = join(folder, name)
      const body = readFileSync(path)
      writeFileSync(`${path}.gz`, await promisify(gzip)(body, { level: 9 }))
      const params = { [constants.BROTLI_PARAM_QUALITY]: first.has(name) ? 11 : 10 }
      writeFileSync(`${path}.br`, await promisify(brotliCompress)(body, { params }))
    }),
  )
}
