import { readdirSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const src = join(root, 'src')

/**
 * Packages of nearly a thousand small files: finding and reading them was a fifth of the processor time of every start.
 * kysely and @simplewebauthn/server are in the build alone.
 */
const joined = [
  'kysely',
  'typebox',
  'typebox/compile',
  'typebox/value',
  '@simplewebauthn/server',
  '@simplewebauthn/server/helpers',
]

const common = {
  outdir: join(root, 'dist'),
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  sourcemap: true,
  logLevel: 'warning',
}

/**
 * Each file of src/ becomes one of dist/, so that stack traces and worker threads use the file names of src/. Tests are left
 * out; data files are copied with their licences.
 */
export function sourceOptions() {
  const sources = readdirSync(src, { recursive: true, encoding: 'utf8' })
  return {
    ...common,
    entryPoints: sources
      .filter((file) => /(?<!\.(test|contract|builder))\.(ts|json|txt)$/.test(file))
      .map((file) => join(src, file)),
    outbase: src,
    loader: { '.json': 'copy', '.txt': 'copy' },
    plugins: [{ name: 'imports', setup: (build) => build.onResolve({ filter: /./ }, importOfSource) }],
  }
}

/** The joined packages, in dist/packages. */
export function packageOptions() {
  return {
    ...common,
    entryPoints: joined.map((name) => ({ in: name, out: `packages/${name}` })),
    // What they share is there once.
    splitting: true,
    // Names stay, for stack traces.
    minifyWhitespace: true,
    chunkNames: 'packages/[name]-[hash]',
    absWorkingDir: root,
  }
}

/** What a source imports is not put into its file; a joined package has another place. */
function importOfSource({ kind, path, resolveDir }) {
  if (kind === 'entry-point') return undefined
  const place = relative(resolveDir, join(src, 'packages', `${path}.js`)).replaceAll(sep, '/')
  return { path: joined.includes(path) ? place : path, external: true }
}
