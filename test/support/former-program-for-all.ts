/** Builds the program of the commit in bench/speed-baseline, for tests that run it beside the present one. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'
import { isImported } from './chosen-files.js'
import { lastLine, run } from './prepared.js'

declare module 'vitest' {
  interface ProvidedContext {
    readonly formerProgram: FormerProgram
  }
}

/** Its folder, or why there is none. */
type FormerProgram = { readonly folder: string } | { readonly skip: string }

const root = fileURLToPath(new URL('../..', import.meta.url))

export async function setup(project: TestProject): Promise<(() => void) | undefined> {
  if (!isImported(project, 'former-program.ts')) return undefined
  const commit = readFileSync(join(root, 'bench/speed-baseline'), 'utf8').trim()
  // Not in the cache of programs: it uses the packages of this folder.
  const folder = mkdtempSync(join(tmpdir(), 'shortlink-former-'))
  console.log(`Building the program of commit ${commit} (twenty seconds) ...`)
  const script = `import { buildOf } from './bench/builds.mjs'; buildOf('${commit}', '${folder}')`
  const built = await run(process.execPath, ['--input-type=module', '-e', script], root)
  const skip = `commit ${commit} cannot be built: ${lastLine(built.output)}`
  if (built.code !== 0) console.log(`Tests with a former program are skipped: ${skip}`)
  project.provide('formerProgram', built.code === 0 ? { folder } : { skip })
  return () => rmSync(folder, { recursive: true, force: true })
}
