/** Makes a Python that has pynsq, in a virtual environment of its own, once. */
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { isImported } from './chosen-files.js'
import { lastLine, prepared, run } from './prepared.js'

declare module 'vitest' {
  interface ProvidedContext {
    readonly pynsq: Pynsq
  }
}

/** The program, or why there is none. */
export type Pynsq = { readonly python: string } | { readonly skip: string }

const version = '0.9.1'

export async function setup(project: TestProject): Promise<void> {
  if (!isImported(project, 'pynsq.ts')) return
  const program = await install()
  if ('skip' in program) console.log(`Tests with pynsq are skipped: ${program.skip}`)
  project.provide('pynsq', program)
}

async function install(): Promise<Pynsq> {
  const made = await prepared(`pynsq-${version}`, async (aside) => {
    console.log(`Installing pynsq ${version} (once) ...`)
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', `pynsq==${version}`]
    for (const [program, ...args] of [
      ['python3', '-m', 'venv', aside],
      [join(aside, 'bin', 'python'), ...pip],
    ] as const) {
      const { code, output } = await run(program, args)
      if (code !== 0) return lastLine(output) || `it ended with ${code}`
    }
    return undefined
  })
  if ('failure' in made) return { skip: `pynsq cannot be installed: ${made.failure}` }
  return { python: join(made.folder, 'bin', 'python') }
}
