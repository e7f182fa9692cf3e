/**
 * A small snapshot of what redirects need: domains and recently used links, as JSON in the data directory. Read only
 * when the service starts while the database is unreachable. Replaced as a whole; mode 0600.
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
  // Written to a temporary file and renamed: a crash leaves the previous snapshot.
  await writeFile(`${file}.new`, JSON.stringify(cache), { mode: 0o600 })
  await rename(`${file}.new`, file)
}

/** Undefined when it is missing or unreadable: then nothing can be served without the database. */
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
