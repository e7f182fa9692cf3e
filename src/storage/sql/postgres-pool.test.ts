import { expect, inject, it, vi } from 'vitest'
import { SilentProxy } from '../../../test/support/silent-proxy.js'
import '../../../test/support/sql-engines.js'
import { CircuitBreaker } from '../../lib/circuit-breaker.js'
import { resilientPool } from './postgres-pool.js'

const server = inject('postgres')
const skip = server === undefined || 'skip' in server
const unavailable = { code: 'TEMPORARILY_UNAVAILABLE' }

function aPool(
  options: { connectionString?: string; max?: number; queryTimeout?: number; suspectAfter?: number },
  probe?: () => Promise<void>,
) {
  const changes: (string | undefined)[] = []
  const onChange = (failure: string | undefined) => changes.push(failure)
  const breaker = new CircuitBreaker({ pause: 50, onChange, ...(probe && { probe }) })
  const connectionString = 'url' in server ? server.url : undefined
  const defaults = { connectionString, max: 1, connectionTimeoutMillis: 300, queryTimeout: 300 }
  return { changes, breaker, pool: resilientPool({ ...defaults, ...options, breaker }) }
}

it.skipIf(skip)('rejects a query that takes too long, and replaces its connection', async () => {
  const { pool, changes } = aPool({})
  const client = await pool.connect()
  await expect(client.query('select pg_sleep(10)', [])).rejects.toMatchObject(unavailable)
  // Also commands that would wait behind it.
  await expect(client.query('rollback', [])).rejects.toMatchObject(unavailable)
  client.release()
  const next = await pool.connect()
  expect((await next.query<{ one: number }>('select 1 as one', [])).rows).toEqual([{ one: 1 }])
  next.release()
  expect(changes).toEqual([])
  await pool.end()
})

it.skipIf(skip)(
  'gives up at once when the server turns out to be silent, and uses no old connection afterwards',
  async () => {
    const target = 'url' in server ? server.url : ''
    const proxy = await SilentProxy.start(Number(new URL(target).port))
    const probe = async () => {
      if (proxy.silent) throw new Error('silent')
    }
    const options = { connectionString: proxy.urlOf(target), max: 3, queryTimeout: 60_000, suspectAfter: 50 }
    const { pool, changes, breaker } = aPool(options, probe)
    const clients = await Promise.all([pool.connect(), pool.connect(), pool.connect()])
    for (const client of clients.slice(1)) client.release()
    proxy.silent = true
    proxy.forgetConnections()
    await expect(clients[0]?.query('select 1', [])).rejects.toMatchObject(unavailable)
    clients[0]?.release()
    await expect(pool.connect()).rejects.toMatchObject(unavailable)
    proxy.silent = false
    await vi.waitFor(() => expect(breaker.failure).toBeUndefined(), 60_000)
    // Two connections of the pool are dead and do not know it.
    const next = await pool.connect()
    expect((await next.query<{ one: number }>('select 1 as one', [])).rows).toEqual([{ one: 1 }])
    next.release()
    expect(changes).toEqual(['silent', undefined])
    await pool.end()
    await proxy.close()
  },
)

it.skipIf(skip)('does not mistake an exhausted pool for an unreachable server', async () => {
  const { pool, changes } = aPool({})
  const client = await pool.connect()
  await expect(pool.connect()).rejects.toMatchObject(unavailable)
  client.release()
  const next = await pool.connect()
  next.release()
  expect(changes).toEqual([])
  await pool.end()
})

it.skipIf(skip)('throws the error of a query unchanged', async () => {
  const { pool } = aPool({})
  const client = await pool.connect()
  await expect(client.query('select nonsense', [])).rejects.toMatchObject({ code: '42703' })
  client.release()
  await pool.end()
})

it('reports once why a server is unreachable, and then fails fast', async () => {
  const { pool, changes } = aPool({ connectionString: 'postgres://nobody@127.0.0.1:1/none' })
  await expect(pool.connect()).rejects.toMatchObject(unavailable)
  await expect(pool.connect()).rejects.toMatchObject(unavailable)
  expect(changes).toEqual(['connect ECONNREFUSED 127.0.0.1:1'])
  await pool.end()
})
