import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const src = join(root, 'src')

/** Packages with machine code. They are loaded from node_modules, and all others are joined with our own code. */
const separate = ['@duckdb/node-api', '@node-rs/argon2', '@resvg/resvg-js', 'libsql', 'sharp']

const common = {
  outbase: src,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  sourcemap: true,
  logLevel: 'warning',
}

/**
 * What runs, in dist/: the main thread, the other threads and the processes for redirects and images, with what they share in `parts`.
 * Finding and reading a file for each of our sources and of our packages was more than half of the processor time of every
 * start. Names stay, for stack traces.
 */
export function programOptions() {
  return {
    ...common,
    outdir: join(root, 'dist'),
    entryPoints: [
      'main.ts',
      'runtime/redirect-process.ts',
      'runtime/threads/worker-host.ts',
      'runtime/threads/image-worker.ts',
    ].map(sourceOf),
    bundle: true,
    splitting: true,
    chunkNames: 'parts/[name]-[hash]',
    external: separate,
    // Joined packages that are no ES modules load those of Node with it.
    banner: {
      js: 'import { createRequire as requireOf } from "node:module"; const require = requireOf(import.meta.url);',
    },
    metafile: true,
  }
}

/** Each source alone, in dist-modules/: parts of the program for the tests, the bench and the scripts. */
export function moduleOptions() {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  const sources = files.filter((file) => /(?<!\.(test|contract|builder))\.ts$/.test(file))
  return { ...common, outdir: join(root, 'dist-modules'), entryPoints: sources.map(sourceOf) }
}

function sourceOf(file) {
  return join(src, file)
}
