import { readFileSync } from 'node:fs'

/** The version of the program. */
export function version(): string {
  // The relative path is the same from src/lib and from dist/lib.
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}
