// Transpiles src/ into dist/, file by file: stack traces and worker threads find the names they know from src/.
import { existsSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { readArguments } from './arguments.mjs'
import { options } from './build-options.mjs'

readArguments('npm run build')

// Built aside and moved into place: a service that starts at this moment finds the old files or the new ones.
const dist = join(dirname(dirname(fileURLToPath(import.meta.url))), 'dist')
const aside = `${dist}.${process.pid}`
const begun = new Date()
await build({ ...options(), outdir: aside })
writeFileSync(join(aside, '.built'), '')
// What is saved while it builds is newer than the build.
utimesSync(join(aside, '.built'), begun, begun)
if (existsSync(dist)) renameSync(dist, `${aside}.old`)
renameSync(aside, dist)
rmSync(`${aside}.old`, { recursive: true, force: true })
