/** Go programs from the module proxy, built once into the cache of test programs. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, delimiter, join } from 'node:path'
import { lastLine, prepared, run } from './prepared.js'

interface GoModule {
  readonly module: string
  readonly version: string
  /** Folders in the module. */
  readonly programs: readonly string[]
  /** Files of ours, each a program that uses the packages of the module. */
  readonly sources?: readonly string[]
}

/**
 * The folder with the programs, or why there is none. `go install …@version` is refused where a module replaces one of its
 * dependencies, so it is built as the main module, from its own folder.
 */
export async function buildGo({
  module,
  version,
  programs,
  sources = [],
}: GoModule): Promise<{ readonly folder: string } | { readonly failure: string }> {
  const names = [...programs, ...sources].map((program) => basename(program, '.go')).join(', ')
  const name = `${basename(module.replace(/\/v\d+$/, ''))}-${version}`
  return prepared(sources.length === 0 ? name : `${name}-${hashOf(sources)}`, async (aside) => {
    const go = goBinary()
    if (go === undefined) return 'no Go toolchain is installed'
    console.log(`Downloading the source of ${names} ${version} (once) ...`)
    const download = await run(go, ['mod', 'download', '-json', `${module}@${version}`], tmpdir())
    const { Dir, Error: reason } = downloadOf(download.output)
    if (download.code !== 0 || Dir === undefined) return lastLine(reason ?? download.output)
    console.log(`Building ${names} ${version} (a minute or two on two cores, once) ...`)
    mkdirSync(aside)
    for (const packages of [programs, ...sources.map((source) => [source])]) {
      if (packages.length === 0) continue
      const built = await run(go, ['build', '-buildvcs=false', '-o', `${aside}/`, ...packages], Dir, alone)
      if (built.code !== 0) return lastLine(built.output)
    }
    return undefined
  })
}

/** A workspace of the module names folders that are not part of it. */
const alone = { ...process.env, GOWORK: 'off' }

function hashOf(files: readonly string[]): string {
  const hash = createHash('sha256')
  for (const file of files) hash.update(readFileSync(file))
  return hash.digest('hex').slice(0, 8)
}

function goBinary(): string | undefined {
  const directories = [...(process.env.PATH ?? '').split(delimiter), '/usr/local/go/bin', '/usr/lib/go/bin']
  return directories.map((directory) => join(directory, 'go')).find((file) => existsSync(file))
}

/** With -json the reason is in there too: the last line of it is a bracket. */
function downloadOf(output: string): { readonly Dir?: string; readonly Error?: string } {
  const [json] = /^\{[\s\S]*?^\}/m.exec(output) ?? []
  return json === undefined ? {} : JSON.parse(json)
}
