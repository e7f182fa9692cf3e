// Builds dist/ and dist-modules/ from src/ (build-options.mjs).
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { readArguments } from './arguments.mjs'
import { moduleOptions, programOptions } from './build-options.mjs'

readArguments('npm run build')

// Built in temporary folders and renamed, so that a starting service finds either the old or the new files.
const root = dirname(dirname(fileURLToPath(import.meta.url)))
const letters = join('core', 'qr-design', 'letters')
const begun = new Date()
const [{ metafile }] = await Promise.all(
  [programOptions(), moduleOptions()].map((options) => build({ ...options, outdir: aside(options.outdir) })),
)
const dist = aside(join(root, 'dist'))
// Data files with their licence (lettering.ts).
cpSync(join(root, 'src', letters), join(dist, letters), { recursive: true })
writeFileSync(join(dist, 'LICENSES.txt'), licensesOf(Object.keys(metafile.inputs)))
writeFileSync(join(dist, '.built'), '')
// A file saved during the build counts as newer than the build.
utimesSync(join(dist, '.built'), begun, begun)
for (const name of ['dist-modules', 'dist']) replace(join(root, name))

function aside(folder) {
  return `${folder}.${process.pid}`
}

function replace(folder) {
  const old = `${folder}.${process.pid}.old`
  if (existsSync(folder)) renameSync(folder, old)
  renameSync(aside(folder), folder)
  rmSync(old, { recursive: true, force: true })
}

/** Whoever gets the joined packages gets their licenses too. */
function licensesOf(inputs) {
  const names = new Set(inputs.flatMap((file) => /.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []))
  return [...names]
    .sort()
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
      const text = readdirSync(folder).find((file) => /^licen[sc]e/i.test(file))
      if (text === undefined) return `${name} ${version}: ${license}\n`
      return `${name} ${version}\n\n${readFileSync(join(folder, text), 'utf8').trim()}\n`
    })
    .join(`\n${'-'.repeat(80)}\n\n`)
}
