import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import { afterEach, describe, expect, it } from 'vitest'
import { createHttp, type HttpOptions } from './server.js'
import type { TypedFastify } from './typed-fastify.js'

describe('createHttp', () => {
  let http: TypedFastify | undefined
  let logged = ''
  afterEach(async () => {
    logged = ''
    await http?.close()
  })

  async function serve(options: HttpOptions = {}, mount: (routes: TypedFastify) => void = () => {}): Promise<number> {
    const sink = new Writable({
      write(line, _encoding, done) {
        logged += line
        done()
      },
    })
    http = await createHttp({ log: pino(sink) }, options, mount)
    await http.listen({ host: '127.0.0.1', port: 0 })
    return (http.server.address() as AddressInfo).port
  }

  /** Sends raw bytes and answers all that comes back until the server hangs up. */
  function exchange(port: number, bytes: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
      let text = ''
      socket.on('data', (chunk) => {
        text += chunk
      })
      socket.on('error', reject)
      socket.on('close', () => resolve(text))
    })
  }

  const impatient: HttpOptions = {
    timeouts: { headers: 50, request: 100 },
    serverFactory: (api) => createServer({ connectionsCheckingInterval: 20 }, api),
  }

  it('drops a request whose headers do not arrive', async () => {
    const port = await serve(impatient)
    expect(await exchange(port, 'POST /v4/shorten HTTP/1.1\r\nHost: a\r\n')).toMatch(/^HTTP\/1\.1 408 /)
  })

  it('drops a request whose body does not arrive', async () => {
    const port = await serve(impatient, (routes) => routes.post('/echo', async (request) => request.body))
    const half = 'POST /echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"a":'
    expect(await exchange(port, half)).toMatch(/^HTTP\/1\.1 408 /)
  })

  it('tells of a client that goes away amid its body as of a body of the wrong length', async () => {
    const failed = new Promise<unknown>((resolve) => {
      void serve({}, (routes) => {
        routes.post('/echo', { errorHandler: (error) => resolve(error) }, async (request) => request.body)
      }).then((port) => {
        const half =
          'POST /echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"a":'
        const socket = connect(port, '127.0.0.1', () => socket.write(half, () => socket.destroy()))
      })
    })
    expect(await failed).toMatchObject({ code: 'FST_ERR_CTP_INVALID_CONTENT_LENGTH', statusCode: 400 })
  })

  it('answers what is not HTTP with 400 and headers that are too large with 431', async () => {
    const port = await serve()
    expect(await exchange(port, 'hello\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 [\s\S]*\{"message":"BAD_REQUEST",/)
    const large = `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`
    expect(await exchange(port, large)).toMatch(/^HTTP\/1\.1 431 [\s\S]*\{"message":"HEADERS_TOO_LARGE",/)
  })

  it('logs an unexpected error with its stack and answers without it', async () => {
    const port = await serve({}, (routes) =>
      routes.get('/fails', async () => {
        throw new Error('the secret inside')
      }),
    )
    const answer = await fetch(`http://127.0.0.1:${port}/fails`)
    expect(answer.status).toBe(500)
    expect(await answer.text()).toBe('Internal error\n')
    expect(logged).toContain('the secret inside')
    expect(logged).toContain('server.test.ts')
    expect(logged).toContain(`"requestId":"${answer.headers.get('x-request-id')}"`)
  })

  it('hands every request to the given server first', async () => {
    const seen: (string | undefined)[] = []
    const port = await serve({
      serverFactory: (api) =>
        createServer((request, response) => {
          seen.push(request.url)
          api(request, response)
        }),
    })
    expect((await fetch(`http://127.0.0.1:${port}/nothing?a=b`)).status).toBe(404)
    expect(seen).toEqual(['/nothing?a=b'])
  })
})
