import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'

const directory = process.env.CONFORMANCE_DIR

/**
 * Notes which status a test got from which path, when CONFORMANCE_DIR says where: scripts/conformance.mjs makes
 * docs/conformance.md of it. One file per worker process, so that nobody writes into another's line.
 */
export function recordForConformance(method: string, path: string, status: number): void {
  if (directory === undefined || directory === '') return
  const test = expect.getState().currentTestName
  if (!test) return
  const line = JSON.stringify({ method, path: path.split('?')[0], status, test })
  appendFileSync(join(directory, `${process.pid}.ndjson`), `${line}\n`)
}
