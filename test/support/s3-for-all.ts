/** Builds versitygw, an S3 server that checks signatures, from the Go module proxy, once. */
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { isImported } from './chosen-files.js'
import { buildGo } from './go-programs.js'

declare module 'vitest' {
  interface ProvidedContext {
    readonly versitygw: Versitygw
  }
}

/** The program, or why there is none. */
type Versitygw = { readonly program: string } | { readonly skip: string }

export async function setup(project: TestProject): Promise<void> {
  if (!isImported(project, 's3-server.ts')) return
  const built = await buildGo({
    module: 'github.com/versity/versitygw',
    version: 'v1.8.0',
    programs: ['./cmd/versitygw'],
  })
  if ('failure' in built) console.log(`Tests with an S3 server are skipped: ${built.failure}`)
  project.provide(
    'versitygw',
    'failure' in built
      ? { skip: `versitygw cannot be built: ${built.failure}` }
      : { program: join(built.folder, 'versitygw') },
  )
}
