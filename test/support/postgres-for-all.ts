/**
 * Starts one PostgreSQL for the whole test run. A server that is already running is never used. Without binaries the
 * tests that need it are skipped with the reason.
 */
import type { TestProject } from 'vitest/node'
import { isImported } from './chosen-files.js'
import { enginesWanted } from './engines-wanted.js'
import { PostgresServer, whyNoPostgresServer } from './postgres-server.js'

declare module 'vitest' {
  interface ProvidedContext {
    readonly postgres: PostgresForTests
  }
}

/** Where the server of this run listens, or why there is none. */
type PostgresForTests = { readonly url: string } | { readonly skip: string }

export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const forApi = process.env.API_RECORDS?.includes('postgres') && isImported(project, 'start-app.ts')
  if (!forApi && !isImported(project, 'sql-engines.ts')) return undefined
  const skip = enginesWanted().has('postgres') ? whyNoPostgresServer() : 'ENGINES leaves postgres out'
  if (skip !== undefined) {
    console.log(`PostgreSQL tests are skipped: ${skip}`)
    project.provide('postgres', { skip })
    return undefined
  }
  const server = new PostgresServer()
  try {
    project.provide('postgres', { url: await server.start() })
  } catch (error) {
    await server.stop()
    throw error
  }
  return () => server.stop()
}
