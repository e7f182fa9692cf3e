// Transpiles src/ into dist/, file by file: stack traces and worker threads find the names they know from src/.
import { rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { options } from './build-options.mjs'

const dist = join(dirname(dirname(fileURLToPath(import.meta.url))), 'dist')
rmSync(dist, { recursive: true, force: true })
await build(options())
writeFileSync(join(dist, '.built'), '')
