// npm-shrinkwrap.json for the package that "npm pack" makes: "npm ci" in the unpacked package installs exactly what was
// tested (deploy/README.md). It exists only while npm packs: here package-lock.json counts.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readArguments } from './arguments.mjs'

const options = { remove: { type: 'boolean' } }
const { values } = readArguments('node scripts/shrinkwrap.mjs [--remove]', { options })
const root = dirname(dirname(fileURLToPath(import.meta.url)))
const file = join(root, 'npm-shrinkwrap.json')

if (values.remove) rmSync(file, { force: true })
else {
  const { packages, ...rest } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  // The package does not contain the workspace of the tools.
  const { tools, 'node_modules/shortlink-tools': link, ...shipped } = packages
  delete shipped[''].workspaces
  const entries = Object.entries(shipped).map(([path, entry]) => [path, withLibrary(path, entry)])
  writeFileSync(file, `${JSON.stringify({ ...rest, packages: Object.fromEntries(entries) }, null, 2)}\n`)
}

/** libsql's packages do not say for which C library they are; their names do. Without it npm installs both, 10 MB more. */
function withLibrary(path, entry) {
  const [, library] = /^node_modules\/@libsql\/linux-.*-(gnu|musl)/.exec(path) ?? []
  return library ? { ...entry, libc: [library === 'gnu' ? 'glibc' : 'musl'] } : entry
}
