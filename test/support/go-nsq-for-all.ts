/**
 * Builds the real nsqd, nsqlookupd and nsq_tail 1.3.0 from the Go module proxy, once, for the tests that compare with
 * them or read with them. `go install …@v1.3.0` is refused because the module replaces one of its dependencies, so it is
 * built as the main module, from its own folder.
 */
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { isImported } from './chosen-files.js'
import { buildGo } from './go-programs.js'

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
  const programs = apps.map((app) => `./apps/${app}`)
  const made = await buildGo({ module: 'github.com/nsqio/nsq', version, programs })
  if ('failure' in made) return { skip: `the real nsqd cannot be built: ${made.failure}` }
  const [nsqd = '', nsqlookupd = '', nsqTail = ''] = apps.map((app) => join(made.folder, app))
  return { nsqd, nsqlookupd, nsqTail }
}
