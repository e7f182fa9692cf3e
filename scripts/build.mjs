// Builds dist/ from src/ (build-options.mjs).
import { existsSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
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
await Promise.all([sourceOptions(), packageOptions()].map((options) => build({ ...options, outdir: aside })))
writeFileSync(join(aside, '.built'), '')
// A file saved during the build counts as newer than the build.
utimesSync(join(aside, '.built'), begun, begun)
if (existsSync(dist)) renameSync(dist, `${aside}.old`)
renameSync(aside, dist)
rmSync(`${aside}.old`, { recursive: true, force: true })
