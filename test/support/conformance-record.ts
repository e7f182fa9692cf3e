import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { TestRunner } from 'vitest'

const directory = process.env.CONFORMANCE_DIR

/**
 * Notes which status (and in v3 which word) a test got from which path, when CONFORMANCE_DIR says where: scripts/conformance.mjs makes
 * docs/conformance.md of it. One file per worker process, so that nobody writes into another's line.
 */
export function recordForConformance(method: string, path: string, answer: Answered): void {
  if (directory === undefined || directory === '') return
  // Between tests there is none: what a hook asks must not go by the name of the test before it.
  const test = TestRunner.getCurrentTest()?.fullTestName
  if (test === undefined) return
  const { status, body } = answer
  const word = typeof body === 'object' && body !== null ? Reflect.get(body, 'status_txt') : undefined
  const line = JSON.stringify({ method, path: path.split('?')[0], status, word, test })
  appendFileSync(join(directory, `${process.pid}.ndjson`), `${line}\n`)
}

interface Answered {
  readonly status: number
  /** Parsed, when it is JSON. */
  readonly body: unknown
}
