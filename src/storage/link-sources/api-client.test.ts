import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { ApiClient, type ApiOptions, retryAfter } from './api-client.js'

let server: Server | undefined
afterEach(async () => {
  server?.closeAllConnections()
  server?.close()
  if (server) await once(server, 'close')
  server = undefined
})

async function listen(listener: RequestListener): Promise<string> {
  server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

type Step = readonly [status: number, body: unknown, headers?: Readonly<Record<string, string>>]

/** Answers step by step, and the last one for ever. The waits are noted, not done. */
async function apiWith(steps: readonly Step[], options: Partial<ApiOptions> = {}) {
  let requests = 0
  const waits: number[] = []
  const notes: string[] = []
  const url = await listen((_, response) => {
    const [status, body, headers] = steps[Math.min(requests, steps.length - 1)] ?? [404, '']
    requests += 1
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  })
  const api = new ApiClient({
    url,
    headers: {},
    onWait: (seconds, reason) => notes.push(`${seconds}: ${reason}`),
    wait: async (milliseconds) => waits.push(milliseconds),
    ...options,
  })
  const failure = (path = '/links') =>
    api.get(path).then(
      () => 'no failure',
      (error: Error) => error.message.replaceAll(url, 'URL'),
    )
  return { api, url, waits, notes, failure, requests: () => requests }
}

const limit: Step = [429, { message: 'RATE_LIMIT_EXCEEDED', description: 'Too many.' }]

it.each([
  [null, undefined],
  ['7', 7_000],
  ['0', 1_000],
  ['Mon, 16 Nov 2026 12:00:30 GMT', 30_000],
  // The time when the limit ends, in seconds and in milliseconds.
  [String(Date.UTC(2026, 10, 16, 12, 1) / 1000), 60_000],
  [String(Date.UTC(2026, 10, 16, 12, 1)), 60_000],
  [String(Date.UTC(2026, 10, 16, 11)), 1_000],
  ['soon', undefined],
])('reads the Retry-After header %j', (header, expected) => {
  expect(retryAfter(header, Date.UTC(2026, 10, 16, 12))).toBe(expected)
})

it('waits as long as it is told, and without that a minute at a time until a limit per hour is over', async () => {
  const told = await apiWith([
    [429, {}, { 'retry-after': '7' }],
    [200, { ok: true }],
  ])
  expect(await told.api.get('/links')).toEqual({ ok: true })
  expect([told.waits, told.notes]).toEqual([[7_000], ['7: 429']])
  await new Promise((resolve) => server?.close(resolve))

  const hour = await apiWith([...Array<Step>(60).fill(limit), [200, []]])
  expect(await hour.api.get('/links')).toEqual([])
  expect(hour.waits).toEqual(Array(60).fill(61_000))
  expect(hour.notes[0]).toBe('61: 429 RATE_LIMIT_EXCEEDED (Too many)')
})

it('gives up after two hours of limits, and at once when the limit is one per month', async () => {
  const { failure, waits } = await apiWith([limit])
  expect(await failure()).toBe(
    'URL/links answered: 429 RATE_LIMIT_EXCEEDED (Too many). Run the same command again later: nothing is imported twice.',
  )
  expect(waits.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(7_200_000)
  await new Promise((resolve) => server?.close(resolve))

  const month = await apiWith([[429, { message: 'API_USAGE_LIMIT_EXCEEDED' }]], { lastingLimit: /USAGE_LIMIT/ })
  expect(await month.failure()).toContain('429 API_USAGE_LIMIT_EXCEEDED. Run the same command again later')
  expect(month.waits).toEqual([])
})

it('tries again after failures of the server, longer each time', async () => {
  const { api, waits } = await apiWith([
    [502, 'Bad Gateway'],
    [500, {}],
    [200, [1]],
  ])
  expect(await api.get('/links')).toEqual([1])
  expect(waits).toEqual([1_000, 2_000])
})

it.each<[Step, string]>([
  [
    [
      401,
      { type: 'x', title: 'Invalid API key', detail: 'Provided API key does not exist or is invalid.', status: 401 },
    ],
    'URL/links answered: 401 Provided API key does not exist or is invalid. Check the key or token in the file of --token-file, and what it may read.',
  ],
  [
    [401, { error: { code: 'unauthorized', message: 'Unauthorized: Invalid API key.' } }],
    'URL/links answered: 401 Unauthorized: Invalid API key. Check the key or token in the file of --token-file, and what it may read.',
  ],
  [
    [403, { message: 'FORBIDDEN' }],
    'URL/links answered: 403 FORBIDDEN. Check the key or token in the file of --token-file, and what it may read.',
  ],
  [[404, 'Not Found'], 'URL/links answered: 404. Check the URL: it must be that of the API.'],
  [
    [200, '<!doctype html>', { 'content-type': 'text/html' }],
    'URL/links answered: 200, but not in JSON. Check the URL: it must be that of the API.',
  ],
  [
    [301, '', { location: 'https://s.example/links' }],
    'URL/links answered: 301, a redirect to https://s.example/links. Check the URL: it must be that of the API.',
  ],
])('says what to do about the first answer %j', async (step, expected) => {
  const { failure, requests } = await apiWith([step])
  expect(await failure()).toBe(expected)
  expect(requests()).toBe(1)
})

it('says at once that nobody listens at the URL, but waits for a server that had answered', async () => {
  const { url, api, waits, failure } = await apiWith([[200, []]])
  await api.get('/links')
  server?.closeAllConnections()
  await new Promise((resolve) => server?.close(resolve))
  expect(await failure()).toMatch(/^Cannot read URL\/links: .*ECONNREFUSED.*\. Run the same command again later/)
  expect(waits).toHaveLength(7)

  const other = new ApiClient({ url, headers: {}, onWait: () => {}, wait: () => expect.unreachable() })
  await expect(other.get('/links')).rejects.toThrow(/ECONNREFUSED.*\. Check the URL/)
})

it('tries again when the first connection breaks', async () => {
  let requests = 0
  const url = await listen((request, response) => {
    requests += 1
    if (requests < 3) request.socket.destroy()
    else response.end('[]')
  })
  const api = new ApiClient({ url, headers: {}, onWait: () => {}, wait: async () => {} })
  expect(await api.get('/links')).toEqual([])
})

it('does not send the token to where it is redirected', async () => {
  const seen: unknown[] = []
  const url = await listen((request, response) => {
    seen.push(request.url)
    response.writeHead(307, { location: '/elsewhere' }).end()
  })
  const api = new ApiClient({ url, headers: { 'x-api-key': 'secret' }, onWait: () => {} })
  await expect(api.get('/links')).rejects.toThrow('a redirect to /elsewhere')
  expect(seen).toEqual(['/links'])
})

it.each(['first\nsecond', 'first\tsecond', 'first\u200bsecond', 'first\0second'])(
  'refuses the token %j at once, and does not show it',
  (token) => {
    const open = () => new ApiClient({ url: 'http://127.0.0.1', headers: { 'x-api-key': token }, onWait: () => {} })
    expect(open).toThrow(/^The key or token has a line break or a character that HTTP does not allow\./)
    expect(open).not.toThrow('second')
  },
)
