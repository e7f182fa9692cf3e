import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startNsqd } from '../../../src/engines/nsqd/server.js'
import { rounds } from '../../support/rounds.js'
import { certificate } from './certificate.js'
import { RawClient, size, sized } from './raw-client.js'
import { eventually } from './subject.js'

const duration = 1000 * rounds

it('survives random and mutated bytes without a leak, and serves a good consumer meanwhile', {
  timeout: duration + 30_000,
}, async () => {
  const seed = process.env.FUZZ_SEED ?? randomBytes(4).toString('hex')
  const random = generator(Number.parseInt(seed, 16))
  const directory = mkdtempSync(join(tmpdir(), 'shortlink-fuzz-'))
  const faults: unknown[] = []
  const note = { debug() {}, info() {}, warn() {}, error: (...fault: unknown[]) => faults.push(fault) }
  const nsqd = await startNsqd({ file: join(directory, 'stream.sqlite'), port: 0, tls: certificate, log: note })
  const good = await RawClient.to(nsqd.port)
  await good.negotiate({ output_buffer_size: -1 })
  await good.subscribe('good', 'ch', 10)
  const end = Date.now() + duration
  let attacks = 0
  const attack = async (): Promise<void> => {
    while (Date.now() < end) {
      attacks++
      const client = await RawClient.silent(nsqd.port)
      const bytes = mutated(script(random), random)
      for (let at = 0; at < bytes.length && !client.isClosed; ) {
        const next = at + 1 + random(random(2) === 0 ? 8 : 4000)
        client.send(bytes.subarray(at, next))
        at = next
        if (random(3) === 0) await new Promise((resolve) => setImmediate(resolve))
      }
      if (random(2) === 0) await new Promise((resolve) => setTimeout(resolve, random(20)))
      client.close()
    }
  }
  let received = 0
  const serve = async (): Promise<void> => {
    while (Date.now() < end) {
      nsqd.publish('good', [Buffer.from(`message ${received}`)])
      const { id, body } = await good.message()
      expect(body.toString()).toBe(`message ${received}`)
      received++
      good.command(`FIN ${id}`)
    }
  }
  try {
    await Promise.all([serve(), ...Array.from({ length: 12 }, attack)])
    await eventually(async () => expect(nsqd.counters().openConnections).toBe(1))
    const strangers = nsqd.stats().topics.flatMap(({ channels }) => channels.flatMap(({ clients }) => clients))
    expect(strangers).toHaveLength(1)
    expect(faults).toEqual([])
    expect(received).toBeGreaterThan(20)
    expect(attacks).toBeGreaterThan(20)
  } catch (error) {
    throw new Error(`with FUZZ_SEED=${seed}, after ${attacks} connections`, { cause: error })
  } finally {
    good.close()
    await nsqd.close()
    rmSync(directory, { recursive: true })
  }
})

/** A conversation that makes sense, more or less. */
function script(random: Random): Buffer {
  if (random(10) === 0) return randomBytes(random(3000))
  const pieces: (string | Buffer)[] = ['  V2']
  const count = random(12)
  for (let index = 0; index < count; index++) pieces.push(...(lines[random(lines.length)]?.(random) ?? []))
  return Buffer.concat(pieces.map((piece) => Buffer.from(piece as string, 'latin1')))
}

const lines: readonly ((random: Random) => readonly (string | Buffer)[])[] = [
  () => ['IDENTIFY\n', sized('{"feature_negotiation":true,"deflate":true}')],
  () => ['IDENTIFY\n', sized('{"feature_negotiation":true,"tls_v1":true}')],
  (random) => ['IDENTIFY\n', sized(`{"heartbeat_interval":${random(3000)},"msg_timeout":${random(3000)}}`)],
  () => ['IDENTIFY\n', sized('[{}]')],
  () => ['AUTH\n', sized('secret')],
  (random) => [`SUB fuzz ch${random(3)}\n`, `RDY ${random(100)}\n`],
  () => ['SUB fuzz passing#ephemeral\n', 'RDY 10\n'],
  (random) => ['PUB fuzz\n', sized(randomBytes(1 + random(200)))],
  (random) => ['MPUB fuzz\n', sized(Buffer.concat([size(2), sized('a'), sized(randomBytes(1 + random(5000)))]))],
  (random) => [`DPUB fuzz ${random(500)}\n`, sized('later')],
  (random) => [`FIN ${random(50).toString(16).padStart(16, '0')}\n`],
  (random) => [`REQ ${random(50).toString(16).padStart(16, '0')} ${random(100)}\n`],
  (random) => [`TOUCH ${random(50).toString(16).padStart(16, '0')}\n`],
  () => ['CLS\n'],
  () => ['NOP\n', '\n'],
  (random) => [`RDY ${random(5000) - 1000}\n`],
  (random) => ['PUB fuzz\n', size(random(2_000_000) - 1_000_000)],
  (random) => ['x'.repeat(random(20_000))],
]

function mutated(bytes: Buffer, random: Random): Buffer {
  if (random(3) === 0) return bytes
  const copy = Buffer.from(bytes)
  for (let change = random(5); change > 0 && copy.length > 0; change--) copy[random(copy.length)] = random(256)
  return random(3) === 0 ? copy.subarray(0, random(copy.length + 1)) : copy
}

type Random = (below: number) => number

/** Repeatable from its seed. */
function generator(seed: number): Random {
  let state = seed >>> 0
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}
