/**
 * The real nsqd, nsqlookupd and nsq_tail 1.3.0, built from the Go module proxy into a cache folder of the user: a release
 * build takes half a minute and is done once. `go install …@v1.3.0` is refused because the module replaces one of its
 * dependencies, so it is built as the main module, from its own folder.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

export interface GoNsq {
  readonly nsqd: string
  readonly nsqlookupd: string
  readonly nsqTail: string
}

const version = 'v1.3.0'
const apps = ['nsqd', 'nsqlookupd', 'nsq_tail'] as const

/** The programs, or why there are none. */
export async function goNsq(): Promise<GoNsq | { readonly skip: string }> {
  const folder = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'shortlink-test', `nsq-${version}`)
  if (!existsSync(folder)) {
    const go = goBinary()
    if (go === undefined) return { skip: 'no Go toolchain is installed, so there is no real nsqd to compare with' }
    const failure = await build(go, folder)
    if (failure !== undefined) return { skip: `the real nsqd could not be built: ${failure}` }
  }
  return { nsqd: join(folder, 'nsqd'), nsqlookupd: join(folder, 'nsqlookupd'), nsqTail: join(folder, 'nsq_tail') }
}

function goBinary(): string | undefined {
  const directories = [...(process.env.PATH ?? '').split(delimiter), '/usr/local/go/bin', '/usr/lib/go/bin']
  return directories.map((directory) => join(directory, 'go')).find((file) => existsSync(file))
}

/** Built aside and moved into place: two test runs may want it at the same time. */
async function build(go: string, folder: string): Promise<string | undefined> {
  const aside = `${folder}.${process.pid}`
  mkdirSync(aside, { recursive: true })
  try {
    const download = await run(go, ['mod', 'download', '-json', `github.com/nsqio/nsq@${version}`], tmpdir())
    const { Dir, Error: reason } = downloadOf(download.output)
    if (download.code !== 0 || Dir === undefined) return lastLine(reason ?? download.output)
    const built = await run(
      go,
      ['build', '-buildvcs=false', '-o', `${aside}/`, ...apps.map((app) => `./apps/${app}`)],
      Dir,
    )
    if (built.code !== 0) return lastLine(built.output)
    if (!existsSync(folder)) renameSync(aside, folder)
    return undefined
  } finally {
    rmSync(aside, { recursive: true, force: true })
  }
}

function run(go: string, args: readonly string[], cwd: string): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(go, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk
      })
    }
    child.once('error', reject)
    child.once('exit', (code) => resolve({ code, output }))
  })
}

/** With -json the reason is in there too: the last line of it is a bracket. */
function downloadOf(output: string): { readonly Dir?: string; readonly Error?: string } {
  const [json] = /^\{[\s\S]*?^\}/m.exec(output) ?? []
  return json === undefined ? {} : JSON.parse(json)
}

function lastLine(output: string): string {
  return output.trim().split('\n').at(-1) ?? ''
}
