/**
 * A small copy of what redirects need, in the data directory: domains and the links that were asked for lately. It is read
 * only when the service starts while the database is away. JSON, replaced as a whole; mode 0600.
 */
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BuiltInDomain } from '../../core/domains/domain-names.js'
import type { BrandedDomain } from '../../core/domains/domain-store.js'
import type { Target } from '../../core/links/link.js'

export interface RedirectSnapshot {
  /** Epoch milliseconds. */
  readonly writtenAt: number
  readonly builtIn: readonly BuiltInDomain[]
  readonly branded: readonly BrandedDomain[]
  readonly targets: readonly Target[]
}

export async function writeRedirectSnapshot(dataDir: string, cache: RedirectSnapshot): Promise<void> {
  const file = fileIn(dataDir)
  // Written whole before it has its name: a crash leaves the former one.
  await writeFile(`${file}.new`, JSON.stringify(cache), { mode: 0o600 })
  await rename(`${file}.new`, file)
}

/** Undefined when there is none, or none that can be read: then there is nothing to serve without the database. */
export async function readRedirectSnapshot(dataDir: string): Promise<RedirectSnapshot | undefined> {
  try {
    return JSON.parse(await readFile(fileIn(dataDir), 'utf8')) as RedirectSnapshot
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function fileIn(dataDir: string): string {
  return join(dataDir, 'redirect-cache.json')
}
