import { readFileSync } from 'node:fs'
import { installation } from './installation.js'

/** The version of the program. */
export function version(): string {
  const text = readFileSync(new URL('package.json', installation), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}
