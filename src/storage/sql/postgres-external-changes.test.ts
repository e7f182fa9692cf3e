import { connect, createServer, type Server } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { SilentProxy } from '../../../test/support/silent-proxy.js'
import { postgresEngine, type TestDatabase } from '../../../test/support/sql-engines.js'
import { type ExternalChangesOptions, PostgresExternalChanges } from './postgres-external-changes.js'

const engine = postgresEngine()
describe.skipIf(engine.skip)(engine.title, () => {
  let database: TestDatabase
  beforeEach(async () => {
    database = await engine.create()
  })
  afterEach(() => database.remove())

  async function listen(
    url: string,
    options: ExternalChangesOptions = {},
  ): Promise<{ externalChanges: PostgresExternalChanges; unresponsive: () => boolean }> {
    let told = false
    const onUnresponsive = () => {
      told = true
    }
    const externalChanges = new PostgresExternalChanges(() => url, { onUnresponsive, ...options })
    externalChanges.onChange(() => {})
    await vi.waitFor(() => expect(externalChanges.version()).toBe(1), { timeout: 60_000 })
    return { externalChanges, unresponsive: () => told }
  }

  it('detects a pooler that drops notifications', { timeout: 120_000 }, async () => {
    const pooler = await startPooler(Number(new URL(database.location).port))
    const url = new URL(database.location)
    url.port = String(pooler.port)
    const { externalChanges, unresponsive } = await listen(url.href)
    await vi.waitFor(() => expect(unresponsive()).toBe(true), { timeout: 60_000 })
    await externalChanges.close()
    pooler.server.close()
  })

  it('does not report working notifications', { timeout: 120_000 }, async () => {
    const { externalChanges, unresponsive } = await listen(database.location)
    await new Promise((resolve) => setTimeout(resolve, 5500))
    expect(unresponsive()).toBe(false)
    await externalChanges.close()
  })

  it('connects again when the connection has died without being closed', { timeout: 120_000 }, async () => {
    const proxy = await SilentProxy.start(Number(new URL(database.location).port))
    const { externalChanges } = await listen(proxy.urlOf(database.location), { heartbeat: 100, timeout: 500 })
    proxy.forgetConnections()
    await vi.waitFor(() => expect(externalChanges.version()).toBe(2), { timeout: 60_000 })
    proxy.silent = true
    proxy.forgetConnections()
    // The end of the program does not wait for the silent server.
    await externalChanges.close()
    await proxy.close()
  })
})

/** Forwards everything except notifications, like a pooler in transaction mode. */
async function startPooler(serverPort: number): Promise<{ server: Server; port: number }> {
  const server = createServer((client) => {
    const upstream = connect(serverPort, '127.0.0.1')
    let waiting = Buffer.alloc(0)
    client.pipe(upstream)
    upstream.on('data', (chunk) => {
      waiting = Buffer.concat([waiting, chunk])
      // Each message has a type byte and a length, which includes itself.
      while (waiting.length >= 5 && waiting.length > waiting.readUInt32BE(1)) {
        const message = waiting.subarray(0, waiting.readUInt32BE(1) + 1)
        waiting = waiting.subarray(message.length)
        if (message.toString('latin1', 0, 1) !== 'A') client.write(message)
      }
    })
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on('close', () => other.destroy())
      one.on('error', () => other.destroy())
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { server, port: (server.address() as { port: number }).port }
}
