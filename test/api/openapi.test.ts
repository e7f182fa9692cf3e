import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StartedApp, startApp } from '../support/start-app.js'

interface Operation {
  readonly operationId?: string
  readonly summary?: string
  readonly tags?: readonly string[]
  readonly responses: Readonly<Record<string, unknown>>
}
type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>

describe('GET /openapi.json', () => {
  let started: StartedApp
  beforeAll(async () => {
    started = await startApp()
  })
  afterAll(() => started.close())

  it('is what docs/openapi/v4.json holds; run "npm run openapi" when this fails', async () => {
    const { status, body } = await started.request('GET', '/openapi.json', { token: null })
    expect(status).toBe(200)
    const committed: unknown = JSON.parse(readFileSync('docs/openapi/v4.json', 'utf8'))
    expect(body).toEqual(committed)
  })

  it('describes every operation with a name, a summary, a tag and its refusals', async () => {
    const { body } = await started.request('GET', '/openapi.json', { token: null })
    expect(body.openapi).toBe('3.1.0')
    const operations = Object.values(body.paths as Paths).flatMap((path) => Object.values(path))
    const names = operations.map((operation) => operation.operationId)
    expect(new Set(names).size).toBe(operations.length)
    for (const operation of operations) {
      expect(operation.operationId).toBeTruthy()
      expect(operation.summary).toBeTruthy()
      expect(operation.tags).toHaveLength(1)
      const statuses = Object.keys(operation.responses)
      expect(statuses).toEqual(expect.arrayContaining(['403', '500', '503']))
      expect(statuses.some((status) => status.startsWith('2'))).toBe(true)
    }
  })
})
