/**
 * Builds the real nsqd, nsqlookupd and nsq_tail 1.3.0 from the Go module proxy, once, for the tests that compare with
 * them or read with them. `go install …@v1.3.0` is refused because the module replaces one of its dependencies, so it is
 * built as the main module, from its own folder.
 */
import { existsSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { isImported } from './chosen-files.js'
import { lastLine, prepared, run } from './prepared.js'

declare module 'vitest' {
  interface ProvidedContext {
    readonly goNsq: GoNsq
  }
}

/** The programs, or why there are none. */
export type GoNsq =
  | { readonly nsqd: string; readonly nsqlookupd: string; readonly nsqTail: string }
  | { readonly skip: string }

const version = 'v1.3.0'
const apps = ['nsqd', 'nsqlookupd', 'nsq_tail'] as const

export async function setup(project: TestProject): Promise<void> {
  if (!isImported(project, 'go-nsq.ts')) return
  const programs = await build()
  if ('skip' in programs) console.log(`Tests with the real nsqd are skipped: ${programs.skip}`)
  project.provide('goNsq', programs)
}

async function build(): Promise<GoNsq> {
  const go = goBinary()
  const made = await prepared(`nsq-${version}`, async (aside) => {
    if (go === undefined) return 'no Go toolchain is installed'
    console.log(`Downloading the source of nsqd ${version} (once) ...`)
    const download = await run(go, ['mod', 'download', '-json', `github.com/nsqio/nsq@${version}`], tmpdir())
    const { Dir, Error: reason } = downloadOf(download.output)
    if (download.code !== 0 || Dir === undefined) return lastLine(reason ?? download.output)
    console.log(`Building ${apps.join(', ')} ${version} (a minute or two on two cores, once) ...`)
    mkdirSync(aside)
    const folders = apps.map((app) => `./apps/${app}`)
    const built = await run(go, ['build', '-buildvcs=false', '-o', `${aside}/`, ...folders], Dir)
    return built.code === 0 ? undefined : lastLine(built.output)
  })
  if ('failure' in made) return { skip: `the real nsqd cannot be built: ${made.failure}` }
  const [nsqd = '', nsqlookupd = '', nsqTail = ''] = apps.map((app) => join(made.folder, app))
  return { nsqd, nsqlookupd, nsqTail }
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
