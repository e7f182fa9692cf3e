/**
 * A Python that has pynsq, in a virtual environment of its own in a cache folder of the user: installing takes some
 * seconds and is done once.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'

const version = '0.9.1'

/** The program, or why there is none. */
export async function pynsq(): Promise<{ readonly python: string } | { readonly skip: string }> {
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache')
  const folder = join(cache, 'shortlink-test', `pynsq-${version}`)
  if (!existsSync(folder)) {
    const failure = await install(folder)
    if (failure !== undefined) return { skip: `pynsq could not be installed: ${failure}` }
  }
  return { python: join(folder, 'bin', 'python') }
}

/** Installed aside and moved into place: two test runs may want it at the same time. */
async function install(folder: string): Promise<string | undefined> {
  const aside = `${folder}.${process.pid}`
  mkdirSync(dirname(aside), { recursive: true })
  try {
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', `pynsq==${version}`]
    for (const [program, ...args] of [
      ['python3', '-m', 'venv', aside],
      [join(aside, 'bin', 'python'), ...pip],
    ] as const) {
      const failure = await run(program, args)
      if (failure !== undefined) return failure
    }
    if (!existsSync(folder)) renameSync(aside, folder)
    return undefined
  } finally {
    rmSync(aside, { recursive: true, force: true })
  }
}

/** What it said last when it failed. */
function run(program: string, args: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk
      })
    }
    child.once('error', (error) => resolve(error.message))
    child.once('close', (code) => {
      const lines = output.split('\n').filter((line) => line.trim() !== '')
      resolve(code === 0 ? undefined : (lines.at(-1) ?? `it ended with ${code}`))
    })
  })
}
