import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it, vi } from 'vitest'
import { OperatorError, UnavailableError } from '../../lib/operator-error.js'
import { openClickhouseClickLog } from './click-log.js'
import { httpSession } from './http-session.js'
import { ClickhouseError } from './session.js'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  servers.push(server)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

function answering(status: number, body: string, code?: number): RequestListener {
  return (_, response) => {
    response.writeHead(status, code === undefined ? {} : { 'X-ClickHouse-Exception-Code': String(code) }).end(body)
  }
}

async function refusal(url: string, options?: { timeLimit: number }): Promise<unknown> {
  const session = httpSession(url, options)
  const error = await session.query('SELECT 1').then(
    () => 'no error',
    (reason: unknown) => reason,
  )
  await session.close()
  return error
}

it('sends user and password in headers, with any characters, and never in the URL', async () => {
  const seen: unknown[] = []
  const host = await serve((request, response) => {
    const { 'x-clickhouse-user': user = '', 'x-clickhouse-key': key = '' } = request.headers
    seen.push(
      [user, key].map((header) => Buffer.from(String(header), 'latin1').toString()),
      request.url,
    )
    response.end('[1]\n')
  })
  expect(await httpSession(`http://ada:p%40ss%20w%C3%B6rd@${host}/clicks`).query('SELECT 1')).toEqual([[1]])
  expect(seen[0]).toEqual(['ada', 'p@ss wörd'])
  expect(seen[1]).not.toMatch(/ada|p@ss|p%40ss/)
})

it('uses the database default if the URL has none', () => {
  expect(httpSession('http://localhost:8123').database).toBe('default')
  expect(httpSession('http://localhost:8123/clicks/').database).toBe('clicks')
})

it('reports that the server is unreachable', async () => {
  const host = await serve(answering(200, ''))
  servers.splice(0).map((server) => server.close())
  const error = await refusal(`http://ada:secret@${host}`)
  expect(error).toBeInstanceOf(OperatorError)
  expect(String(error)).toContain(
    `Cannot reach ClickHouse at http://${host} (ECONNREFUSED). Check clickhouseUrl and that the server is running.`,
  )
})

it('reports a timeout', async () => {
  const host = await serve(() => {})
  const error = await refusal(`http://${host}`, { timeLimit: 100 })
  expect(error).toBeInstanceOf(OperatorError)
  expect(String(error)).toContain('did not answer within 0.1 seconds')
})

it('reports wrong credentials without showing the password', async () => {
  const host = await serve(answering(403, 'Code: 516. DB::Exception: ada: Authentication failed', 516))
  const error = await refusal(`http://ada:secret@${host}`)
  expect(error).toBeInstanceOf(OperatorError)
  expect(String(error)).toContain('refuses the user "ada". Check user and password in clickhouseUrl.')
  expect(String(error)).not.toContain('secret')
})

it('reports which grant the user lacks', async () => {
  const denied = 'Code: 497. DB::Exception: ada: Not enough privileges. grant CREATE TABLE ON clicks.clicks'
  const host = await serve(answering(403, denied, 497))
  expect(String(await refusal(`http://ada@${host}`))).toContain('grant CREATE TABLE ON clicks.clicks')
})

it('reports that the server is not ClickHouse', async () => {
  const host = await serve(answering(404, '<html>Not found</html>'))
  expect(String(await refusal(`http://${host}`))).toContain('is not a ClickHouse HTTP interface (status 404)')
})

it('reports any other error with its code', async () => {
  const host = await serve(answering(500, 'Code: 241. DB::Exception: Memory limit exceeded\nstack', 241))
  const error = await refusal(`http://${host}`)
  expect(error).toBeInstanceOf(ClickhouseError)
  expect(error).toMatchObject({ code: 241, message: expect.stringMatching(/Memory limit exceeded$/) })
})

it('retries a query after a broken connection, but not an insert', async () => {
  let requests = 0
  const host = await serve((request, response) => {
    requests++
    if (requests % 2 === 1) request.socket.destroy()
    else response.end('[7]\n')
  })
  const session = httpSession(`http://${host}`)
  expect(await session.query('SELECT 7')).toEqual([[7]])
  await expect(session.insert('t (a)', [[1]])).rejects.toThrow('Cannot reach ClickHouse')
  expect(requests).toBe(3)
  await session.close()
})

it('aborts running queries on close', async () => {
  let asked = () => {}
  const isAsked = new Promise<void>((resolve) => {
    asked = resolve
  })
  const host = await serve(() => asked())
  const session = httpSession(`http://${host}`)
  const answer = session.query('SELECT sleep(100)')
  const outcome = expect(answer).rejects.toThrow('The click log is closed.')
  await isAsked
  await session.close()
  await outcome
})

it('rejects a server that is too old', async () => {
  const host = await serve(answering(200, '["23.3.1.2823"]\n'))
  await expect(openClickhouseClickLog(httpSession(`http://${host}`))).rejects.toThrow(
    `ClickHouse at http://${host} is version 23.3.1.2823, which is too old. Upgrade it to 24.8 or newer.`,
  )
})

it('requests an insert quorum if configured', async () => {
  const quorums: (string | null)[] = []
  const host = await serve((request, response) => {
    quorums.push(new URL(request.url ?? '', 'http://localhost').searchParams.get('insert_quorum'))
    response.end()
  })
  for (const insertQuorum of [0, 2]) {
    const session = httpSession(`http://${host}`, { insertQuorum })
    await session.insert('clicks (n)', [[1]])
    await session.close()
  }
  expect(quorums).toEqual([null, '2'])
})

it('aborts queries when the server stops answering, fails fast until it answers again, and waits for slow queries', async () => {
  let silent = false
  const slow: (() => void)[] = []
  const host = await serve((request, response) => {
    if (silent) return
    if (request.url === '/ping') response.end('Ok.')
    else slow.push(() => response.end('[1]'))
  })
  const session = httpSession(`http://${host}`, { watch: true })
  const patient = session.query('SELECT 1')
  await vi.waitUntil(() => slow.length === 1, 60_000)
  slow[0]?.()
  expect(await patient).toEqual([[1]])
  const running = session.query('SELECT 2').catch((error: unknown) => error)
  await vi.waitUntil(() => slow.length === 2, 60_000)
  silent = true
  expect(await running).toBeInstanceOf(UnavailableError)
  expect(session.trouble).toContain('did not answer within 3 seconds')
  await expect(session.query('SELECT 3')).rejects.toThrow('did not answer within 3 seconds')
  silent = false
  await vi.waitUntil(() => session.trouble === undefined, { timeout: 60_000 })
  const again = session.query('SELECT 4')
  await vi.waitUntil(() => slow.length === 3, 60_000)
  slow[2]?.()
  expect(await again).toEqual([[1]])
  await session.close()
})
