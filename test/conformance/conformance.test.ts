import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { useApp } from '../support/start-app.js'
import { operationFor, operations, shapeOf } from './operations.js'
import { legacyOperations } from './v3-operations.js'

const documented = operations.filter((operation) => !operation.form)

describe('the documented operations', () => {
  const started = useApp()
  let offered: ReadonlySet<string>
  beforeAll(async () => {
    const { body } = await started.request('GET', '/openapi.json', { token: null })
    const paths = body.paths as Readonly<Record<string, Readonly<Record<string, unknown>>>>
    offered = new Set(
      Object.entries(paths).flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => `${method.toUpperCase()} ${shapeOf(path)}`),
      ),
    )
  })

  it.each(documented.map(({ method, path }) => [method, path]))(
    'offer %s %s in the OpenAPI document',
    (method, path) => {
      expect(offered).toContain(`${method} ${shapeOf(path)}`)
    },
  )

  it('are told apart by their paths', () => {
    const example = (path: string) => path.replace(/\{(custom_)?shortlink\}/, 'sho.rt/abc').replace(/\{\w+\}/g, 'x')
    for (const operation of operations) expect(operationFor(operation.method, example(operation.path))).toBe(operation)
    expect(operationFor('GET', '/v4/shortlinks/sho.rt%2Fabc')?.path).toBe('/v4/shortlinks/{shortlink}')
    expect(operationFor('GET', '/v4/shortlinks/sho.rt%2Fabc/cities')?.path).toBe('/v4/shortlinks/{shortlink}/cities')
    expect(operationFor('GET', '/v4/shortlinks')).toBeUndefined()
  })
})

describe('the operations of the legacy document', () => {
  const started = useApp()

  it.each(legacyOperations)('offer GET $path', async ({ path, statusWithoutToken = 200 }) => {
    const { status, body } = await started.request('GET', path, { token: null })
    expect([status, body.status_txt]).toEqual([statusWithoutToken, 'MISSING_ARG_ACCESS_TOKEN'])
  })
})

describe('docs/conformance.md', () => {
  const page = readFileSync('docs/conformance.md', 'utf8')

  it.each(operations.map(({ method, path }) => [method, path]))('names %s %s', (method, path) => {
    expect(page).toContain(`| \`${method} ${path}\` |`)
  })

  it.each(legacyOperations.map(({ path }) => path))('names GET %s, its parameters and its words', (path) => {
    const [, section = ''] = page.split(`### \`GET ${path}\`\n`)
    const [own = ''] = section.split('\n### ')
    const operation = legacyOperations.find((each) => each.path === path)
    for (const parameter of operation?.parameters ?? []) expect(own).toContain(`\`${parameter}\``)
    for (const word of operation?.words ?? []) expect(own).toContain(`| \`${word}\` |`)
  })

  it('has no empty row; run "npm run conformance" when this fails', () => {
    expect(page.split('\n').filter((line) => line.endsWith('|  |'))).toEqual([])
  })

  it('names every status of every operation', () => {
    const shown = statusesByOperation(page)
    for (const { method, path, statuses } of operations) expect(shown.get(`${method} ${path}`)).toEqual(statuses)
  })
})

function statusesByOperation(page: string): ReadonlyMap<string, number[]> {
  const shown = new Map<string, number[]>()
  let current: number[] = []
  for (const [, name, status] of page.matchAll(/^\| (?:`(.+?)`)? ?\| (\d{3}) \|/gm)) {
    if (name) {
      current = []
      shown.set(name, current)
    }
    current.push(Number(status))
  }
  return shown
}
