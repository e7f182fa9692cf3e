import { describe, expect, it } from 'vitest'
import type { CheckContext } from './checks.js'
import { RawClient } from './raw-client.js'
import { aTopic, channelOf, eventually } from './subject.js'

export function receiveChecks({ plain }: CheckContext): void {
  const refusedSub = async (line: string): Promise<string> => {
    const client = await RawClient.to(plain().port)
    client.command(line)
    const text = await client.refusal()
    await client.closed()
    return text
  }
  const consumer = async (topic: string, channel: string, ready?: number): Promise<RawClient> => {
    const client = await RawClient.to(plain().port)
    await client.subscribe(topic, channel, ready)
    return client
  }
  const bodies = (count: number): string[] => Array.from({ length: count }, (_, index) => `body ${index}`)

  describe('subscribe and receive', () => {
    it('29. answers SUB with OK and pushes nothing before RDY', async () => {
      const topic = aTopic()
      await plain().publish(topic, 'waiting')
      const client = await consumer(topic, 'ch')
      await client.silence(300)
      client.close()
    })

    it('30. refuses names that are none', async () => {
      const long = 'x'.repeat(65)
      for (const topic of ['test:x', long, ''])
        expect(await refusedSub(`SUB ${topic} ch`)).toBe(`E_BAD_TOPIC SUB topic name "${topic}" is not valid`)
      for (const channel of ['a/b', long, '', '#ephemeral'])
        expect(await refusedSub(`SUB ${aTopic()} ${channel}`)).toBe(
          `E_BAD_CHANNEL SUB channel name "${channel}" is not valid`,
        )
      ;(await consumer(`${'x'.repeat(54)}#ephemeral`, 'y'.repeat(64))).close()
    })

    it('31. refuses SUB with one name, and a second SUB', async () => {
      expect(await refusedSub('SUB alone')).toBe('E_INVALID SUB insufficient number of parameters')
      const client = await consumer(aTopic(), 'ch')
      client.command(`SUB ${aTopic()} ch`)
      expect(await client.refusal()).toBe('E_INVALID cannot SUB in current state')
      await client.closed()
    })

    it('32. refuses SUB without heartbeats, while publishing goes on without them', async () => {
      const client = await RawClient.to(plain().port)
      client.identify({ heartbeat_interval: -1 })
      expect(await client.response()).toBe('OK')
      await client.publish(aTopic(), 'published')
      await client.silence(300)
      client.command(`SUB ${aTopic()} ch`)
      expect(await client.refusal()).toBe('E_INVALID cannot SUB with heartbeats disabled')
      await client.closed()
    })

    it('33. pushes exactly one message with RDY 1, and the next after FIN', async () => {
      const topic = aTopic()
      await plain().publish(topic, 'first', 'second')
      const client = await consumer(topic, 'ch', 1)
      const first = await client.message()
      expect(first).toMatchObject({ attempts: 1, id: expect.stringMatching(/^[0-9a-f]{16}$/) })
      await client.silence(300)
      client.command(`FIN ${first.id}`)
      const second = await client.message()
      expect([first.body.toString(), second.body.toString()].sort()).toEqual(['first', 'second'])
      client.close()
    })

    it('34. keeps exactly RDY messages in flight', async () => {
      const topic = aTopic()
      await plain().publish(topic, ...bodies(10))
      const client = await consumer(topic, 'ch', 5)
      const [first] = await client.messages(5)
      await client.silence(300)
      expect(await channelOf(plain(), topic, 'ch')).toMatchObject({ in_flight_count: 5, depth: 5 })
      client.command(`FIN ${first?.id}`)
      await client.message()
      await client.silence(300)
      client.close()
    })

    it('35. takes RDY up to the maximum, and not before SUB', async () => {
      const topic = aTopic()
      const client = await consumer(topic, 'ch', 2500)
      await eventually(async () => expect((await channelOf(plain(), topic, 'ch')).clients[0]?.ready_count).toBe(2500))
      client.command('RDY 2501')
      expect(await client.refusal()).toBe('E_INVALID RDY count 2501 out of range 0-2500')
      await client.closed()
      expect(await refusedSub('RDY 1')).toBe('E_INVALID cannot RDY in current state')
      const negative = await consumer(topic, 'ch')
      negative.command('RDY -1')
      expect(await negative.refusal()).toBe('E_INVALID RDY could not parse count -1')
      await negative.closed()
    })

    it('36. pushes no more after RDY 0, and what is out can be finished', async () => {
      const topic = aTopic()
      await plain().publish(topic, ...bodies(10))
      const client = await consumer(topic, 'ch', 3)
      const out = await client.messages(3)
      client.command('RDY 0')
      for (const { id } of out) client.command(`FIN ${id}`)
      await eventually(async () =>
        expect(await channelOf(plain(), topic, 'ch')).toMatchObject({ in_flight_count: 0, depth: 7 }),
      )
      await client.silence(300)
      client.close()
    })

    it('37. gives each channel its own copy, and each message to one consumer of a channel', async () => {
      const topic = aTopic()
      const one = await consumer(topic, 'one', 200)
      const other = await consumer(topic, 'other', 200)
      await plain().publish(topic, 'copied')
      expect((await one.message()).body.toString()).toBe('copied')
      expect((await other.message()).body.toString()).toBe('copied')

      const second = await consumer(topic, 'one', 200)
      const seen = new Set<string>()
      let received = 0
      const read = async (client: RawClient): Promise<void> => {
        for (;;) {
          const { id, body } = await client.message()
          client.command(`FIN ${id}`)
          seen.add(body.toString())
          received++
        }
      }
      const reading = [one, second].map((client) => read(client).catch(() => {}))
      await plain().publish(topic, ...bodies(100))
      await eventually(async () => expect(seen.size).toBe(100))
      expect(received).toBe(100)
      for (const client of [one, second, other]) client.close()
      await Promise.all(reading)
    })

    it('38. keeps messages for the first channel, and starts a later one empty', async () => {
      const topic = aTopic()
      await plain().publish(topic, ...bodies(3))
      const first = await consumer(topic, 'first', 10)
      expect((await first.messages(3)).map(({ body }) => body.toString()).sort()).toEqual(bodies(3))
      const later = await consumer(topic, 'later', 10)
      await later.silence(300)
      await plain().publish(topic, 'for both')
      expect((await later.message()).body.toString()).toBe('for both')
      expect((await first.message()).body.toString()).toBe('for both')
      for (const client of [first, later]) client.close()
    })

    it('39. keeps what is published while a consumer is away', async () => {
      const topic = aTopic()
      ;(await consumer(topic, 'ch', 10)).close()
      await eventually(async () => expect((await channelOf(plain(), topic, 'ch')).clients).toEqual([]))
      await plain().publish(topic, ...bodies(3))
      const client = await consumer(topic, 'ch', 10)
      expect(await client.messages(3)).toHaveLength(3)
      client.close()
    })

    it('40. drops an ephemeral channel with its last consumer', async () => {
      const topic = aTopic()
      const keeping = await consumer(topic, 'durable')
      const client = await consumer(topic, 'passing#ephemeral', 0)
      await plain().publish(topic, ...bodies(3))
      await eventually(async () => expect((await channelOf(plain(), topic, 'passing#ephemeral')).depth).toBe(3))
      client.close()
      await eventually(async () =>
        expect((await plain().stats(topic))?.channels.map(({ channel_name }) => channel_name)).toEqual(['durable']),
      )
      const again = await consumer(topic, 'passing#ephemeral', 10)
      await again.silence(300)
      for (const open of [keeping, again]) open.close()
    })

    it('41. delivers any bytes unchanged, one of them or a mebibyte', async () => {
      const topic = aTopic()
      const client = await consumer(topic, 'ch', 10)
      const every = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))
      const largest = Buffer.alloc(1024 * 1024, every)
      for (const body of [every, Buffer.of(0), largest]) {
        await client.publish(topic, body)
        const message = await client.message()
        expect(message.body.equals(body)).toBe(true)
        client.command(`FIN ${message.id}`)
      }
      client.close()
    })

    it('42. stamps messages with the nanoseconds of their publication', async () => {
      const topic = aTopic()
      const before = BigInt(Date.now() - 1000) * 1_000_000n
      await plain().publish(topic, 'stamped')
      const client = await consumer(topic, 'ch', 1)
      const { time } = await client.message()
      expect(time).toBeGreaterThan(before)
      expect(time).toBeLessThan(BigInt(Date.now() + 1000) * 1_000_000n)
      client.close()
    })

    it('delivers about the percentage that a sampling consumer asked for', async () => {
      const topic = aTopic()
      const client = await RawClient.to(plain().port)
      await client.negotiate({ sample_rate: 30 })
      await client.subscribe(topic, 'ch', 2500)
      await plain().publish(topic, ...bodies(2000))
      // The channel may be empty for a moment while the topic still has most of them.
      const arrived = { depth: 0, message_count: 2000 }
      await eventually(async () => expect(await channelOf(plain(), topic, 'ch')).toMatchObject(arrived))
      const { in_flight_count } = await channelOf(plain(), topic, 'ch')
      expect(in_flight_count).toBeGreaterThan(450)
      expect(in_flight_count).toBeLessThan(750)
      client.close()
    })
  })
}
