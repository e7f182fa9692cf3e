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
    expect(operations.map((operation) => operation.operationId).sort()).toEqual([
      'expand',
      'getClicks',
      'getClicksSummary',
      'getShortlink',
      'shorten',
    ])
    for (const operation of operations) {
      expect(operation.summary).toBeTruthy()
      expect(operation.tags).toHaveLength(1)
      expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(['200', '403', '500', '503']))
    }
  })
})
