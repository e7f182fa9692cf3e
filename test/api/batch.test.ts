import { describe, expect, it } from 'vitest'
import { useApp } from '../support/start-app.js'

describe('POST /v4/batch', () => {
  const app = useApp({ apiConnections: 1 })
  const batch = (paths: unknown, options: object = {}) =>
    app.request('POST', '/v4/batch', { body: { paths }, ...options })

  it('answers every read as a request of its own would be, in order', async () => {
    const group = `/v4/groups/${app.groupGuid}`
    const paths = [
      '/v4/user',
      '/v4/groups/Bnobody',
      `${group}/tags`,
      '/v4/nothing',
      `${group}/shortlinks?size=0`,
      group,
    ]
    const { status, body, headers } = await batch(paths)
    expect(status).toBe(200)
    expect(headers['content-type']).toContain('application/json')
    const alone = await Promise.all(paths.map((path) => app.request('GET', path)))
    const withoutId = ({ request_id: _id, ...rest }: Record<string, unknown>) => rest
    expect(body.answers.map((each: Entry) => [each.status, withoutId(each.body)])).toEqual(
      alone.map((each) => [each.status, withoutId(each.body)]),
    )
  })

  it('is compressed as a whole', async () => {
    const paths = Array.from({ length: 8 }, () => '/v4/organizations')
    const headers = { authorization: `Bearer ${app.token}`, 'content-type': 'application/json' }
    // fetch asks for it, and unpacks it.
    const response = await fetch(`${app.url}/v4/batch`, { method: 'POST', headers, body: JSON.stringify({ paths }) })
    expect(response.headers.get('content-encoding')).toBe('gzip')
    const { answers } = (await response.json()) as { answers: readonly Entry[] }
    expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 200))
  })

  it('asks for a token, and gives each read the rights of it', async () => {
    expect((await batch(['/v4/user'], { token: null })).status).toBe(403)
    expect((await batch(['/v4/user'], { token: 'x'.repeat(40) })).status).toBe(403)
  })

  it.each([
    ['no path', []],
    ['too many', Array.from({ length: 21 }, () => '/v4/user')],
    ['another API', ['/v3/user/info']],
    ['another place by dots', ['/v4/../account/session']],
    ['a path that is too long', [`/v4/user?${'x'.repeat(8200)}`]],
    ['a URL', ['http://127.0.0.1/v4/user']],
    ['no text', [{}]],
  ])('refuses %s', async (_what, paths) => {
    expect((await batch(paths)).status).toBe(400)
  })

  it('runs no operation that does not answer JSON', async () => {
    const { body } = await batch([`/v4/groups/${app.groupGuid}/events`])
    expect(body.answers).toMatchObject([{ status: 400, body: { message: 'BAD_REQUEST' } }])
  })

  it('reads only', async () => {
    const { body } = await batch(['/v4/shorten', '/v4/batch'])
    expect(body.answers.map(({ status }: Entry) => status)).toEqual([405, 405])
  })
})

describe('POST /v4/batch with limits', () => {
  const app = useApp({ endpointLimits: [{ endpoint: 'GET /v4/user', perHour: 30 }] })

  it('counts every read, and says when to ask again', async () => {
    const { body } = await app.request('POST', '/v4/batch', {
      body: { paths: Array.from({ length: 5 }, () => '/v4/user') },
    })
    expect(body.answers.map(({ status }: Entry) => status)).toEqual([200, 200, 200, 429, 429])
    expect(body.answers[4].retry_after).toBeGreaterThan(0)
  })
})

interface Entry {
  readonly status: number
  readonly body: Record<string, unknown>
}
