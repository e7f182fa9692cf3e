/**
 * What a run has to prepare: only what its test files can reach. `npx vitest run src/core/links` needs no nsqd, and must
 * not wait for one.
 */
import { readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'

/** Whether one of the chosen test files imports this file of test/support, itself or through others. */
export function isImported(project: TestProject, supportFile: string): boolean {
  return importedBy(project.vitest.state.getPaths()).has(join(support, supportFile))
}

const support = fileURLToPath(new URL('.', import.meta.url))

function importedBy(files: readonly string[]): ReadonlySet<string> {
  const reached = new Set<string>()
  const waiting = [...files]
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (reached.has(file)) continue
    reached.add(file)
    waiting.push(...importsOf(file))
  }
  return reached
}

const cache = new Map<string, readonly string[]>()

function importsOf(file: string): readonly string[] {
  let found = cache.get(file)
  if (!found) {
    found = [...readFileSync(file, 'utf8').matchAll(relativeImport)]
      .map(([, path]) => resolve(dirname(file), (path ?? '').replace(/\.js$/, '.ts')))
      .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile())
    cache.set(file, found)
  }
  return found
}

/** Types alone need nothing at run time. */
const relativeImport = /^(?:import|export)\b(?!\s+type\b)[^'"]*?['"](\.[^'"]+)['"]/gm
