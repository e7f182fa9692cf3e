/** Traces of a real service, received as a collector receives them. */
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { otlpPackages } from '../support/otlp-packages.js'
import { type ServiceProcess, shortenAt, startProcess } from '../support/start-process.js'

const packages = otlpPackages()
const skip = 'skip' in packages ? packages.skip : undefined

interface Span {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[]
}

interface Received {
  readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly Span[] }[] }[]
}

describe.skipIf(skip)(`traces${skip === undefined ? '' : ` (skipped: ${skip})`}`, () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'shortlink-otlp-'))
  const spans: Span[] = []
  let collector: Server
  let service: ServiceProcess
  const before = process.env.NODE_PATH
  beforeAll(async () => {
    collector = createServer(async (request, response) => {
      let text = ''
      for await (const chunk of request) text += chunk
      const { resourceSpans } = JSON.parse(text) as Received
      const received = resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans))
      if (request.url === '/v1/traces') spans.push(...received)
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    }).listen(0, '127.0.0.1')
    await new Promise((done) => collector.once('listening', done))
    if ('modules' in packages) process.env.NODE_PATH = packages.modules
    const url = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`
    service = await startProcess(dataDir, ['--otlp-url', url])
  }, 120_000)
  afterAll(async () => {
    if (before === undefined) delete process.env.NODE_PATH
    else process.env.NODE_PATH = before
    await service?.stop('SIGKILL')
    collector?.close()
    rmSync(dataDir, { recursive: true, force: true })
  })

  it('have a span for the request, which continues the trace of the caller, and one for each query', async () => {
    await shortenAt(service.url, 'https://example.com/traced')
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
    const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` }
    await fetch(`${service.url}/v4/user?access_token=secret-token`, { headers })
    // The last spans are sent before it ends.
    expect(await service.stop('SIGTERM')).toBe(0)
    await vi.waitFor(() => expect(spans.map(({ name }) => name)).toContain('GET /v4/user'), 60_000)
    const find = (name: string) => spans.find((span) => span.name === name)
    const shorten = find('POST /v4/shorten')
    const children = spans.filter((span) => span.parentSpanId === shorten?.spanId)
    expect(new Set(children.map((child) => `${child.name} of ${child.traceId}`))).toEqual(
      new Set([`query records of ${shorten?.traceId}`]),
    )
    expect(find('GET /v4/user')).toMatchObject({ traceId, parentSpanId: '00f067aa0ba902b7' })
    const attributes = Object.fromEntries(find('GET /v4/user')?.attributes.map(({ key, value }) => [key, value]) ?? [])
    expect(attributes).toMatchObject({
      'http.route': { stringValue: '/v4/user' },
      'url.path': { stringValue: '/v4/user' },
      'http.response.status_code': { intValue: 403 },
    })
    expect(JSON.stringify(spans)).not.toContain('secret-token')
  }, 120_000)

  it('need packages that the message names', async () => {
    process.env.NODE_PATH = ''
    await expect(startProcess(dataDir, ['--otlp-url', 'http://127.0.0.1:4318'])).rejects.toThrow(
      'npm install @opentelemetry/api@1.9.1',
    )
  }, 120_000)
})
