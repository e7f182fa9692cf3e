import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** What a one-off build and the watching one of `npm run dev` share. Tests stay out of dist/. */
export function options() {
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  return {
    entryPoints: sources
      .filter((file) => file.endsWith('.ts') && !/\.(test|contract|builder)\.ts$/.test(file))
      .map((file) => join(root, 'src', file)),
    outbase: join(root, 'src'),
    outdir: join(root, 'dist'),
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: true,
    logLevel: 'warning',
  }
}
