import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

/**
 * Options of `npm run build` and of the watching build of `npm run dev`. Tests are left out of dist/; data files are copied
 * with their licences.
 */
export function options() {
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  return {
    entryPoints: sources
      .filter((file) => /(?<!\.(test|contract|builder))\.(ts|json|txt)$/.test(file))
      .map((file) => join(root, 'src', file)),
    outbase: join(root, 'src'),
    outdir: join(root, 'dist'),
    platform: 'node',
    format: 'esm',
    target: 'node20',
    loader: { '.json': 'copy', '.txt': 'copy' },
    sourcemap: true,
    logLevel: 'warning',
  }
}
