/** Programs from elsewhere that tests run: made once, in a cache folder of the user, before any test's time runs. */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'

/**
 * The folder, or why there is none. `make` fills a folder aside, which is moved into place when all of it is there: two
 * runs may want it at the same time, and one may be broken off. It answers why it failed, if it did.
 */
export async function prepared(
  name: string,
  make: (aside: string) => Promise<string | undefined>,
): Promise<{ readonly folder: string } | { readonly failure: string }> {
  const folder = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'shortlink-test', name)
  if (existsSync(folder)) return { folder }
  const aside = `${folder}.${process.pid}`
  mkdirSync(dirname(folder), { recursive: true })
  const begun = Date.now()
  try {
    const failure = await make(aside)
    if (failure !== undefined) return { failure }
    if (!existsSync(folder)) renameSync(aside, folder)
    console.log(`${name} is ready (${Math.round((Date.now() - begun) / 1000)} s).`)
    return { folder }
  } finally {
    rmSync(aside, { recursive: true, force: true })
  }
}

/** Runs a program to its end; a code that is not 0 is for the caller to judge. */
export function run(
  program: string,
  args: readonly string[],
  cwd?: string,
  env?: NodeJS.ProcessEnv,
): Promise<{ readonly code: number | null; readonly output: string }> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk
      })
    }
    child.once('error', (error) => resolve({ code: null, output: error.message }))
    child.once('close', (code) => resolve({ code, output }))
  })
}

export function lastLine(output: string): string {
  return output.trim().split('\n').at(-1) ?? ''
}
