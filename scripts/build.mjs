// Builds dist/ from src/ (build-options.mjs).
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { readArguments } from './arguments.mjs'
import { packageOptions, sourceOptions } from './build-options.mjs'

readArguments('npm run build')

// Built in a temporary folder and renamed, so that a starting service finds either the old or the new files.
const dist = join(dirname(dirname(fileURLToPath(import.meta.url))), 'dist')
const aside = `${dist}.${process.pid}`
const begun = new Date()
const [, { metafile }] = await Promise.all(
  [sourceOptions(), { ...packageOptions(), metafile: true }].map((options) => build({ ...options, outdir: aside })),
)
writeFileSync(join(aside, 'packages', 'LICENSES.txt'), licensesOf(Object.keys(metafile.inputs)))
writeFileSync(join(aside, '.built'), '')
// A file saved during the build counts as newer than the build.
utimesSync(join(aside, '.built'), begun, begun)
if (existsSync(dist)) renameSync(dist, `${aside}.old`)
renameSync(aside, dist)
rmSync(`${aside}.old`, { recursive: true, force: true })

/** Whoever gets the joined packages gets their licenses too. */
function licensesOf(inputs) {
  const names = new Set(inputs.map((file) => /.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? file))
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
