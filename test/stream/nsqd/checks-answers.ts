import { describe, expect, it } from 'vitest'
import type { CheckContext } from './checks.js'
import { RawClient } from './raw-client.js'
import { aTopic, channelOf, eventually } from './subject.js'

export function answerChecks({ subject, plain }: CheckContext): void {
  const consumer = async (topic: string, ready: number, fields: object = {}): Promise<RawClient> => {
    const client = await RawClient.to(plain().port)
    await client.negotiate(fields)
    await client.subscribe(topic, 'ch', ready)
    return client
  }
  const numbers = (topic: string) => channelOf(plain(), topic, 'ch')

  describe('answers and time-outs', () => {
    it('43. takes FIN without a word, and refuses a second one without closing', async () => {
      const topic = aTopic()
      await plain().publish(topic, 'once', 'more')
      const client = await consumer(topic, 1)
      const { id } = await client.message()
      client.command(`FIN ${id}`)
      const next = await client.message()
      expect((await numbers(topic)).clients[0]).toMatchObject({ finish_count: 1, in_flight_count: 1, message_count: 2 })
      client.command(`FIN ${id}`)
      expect(await client.refusal()).toBe(`E_FIN_FAILED FIN ${id} failed ID not in flight`)
      client.command(`FIN ${next.id}`)
      await eventually(async () => expect(await numbers(topic)).toMatchObject({ in_flight_count: 0, depth: 0 }))
      expect((await numbers(topic)).clients[0]).toMatchObject({ finish_count: 2 })
      client.close()
    })

    it('44. refuses an id that is not sixteen characters', async () => {
      const client = await consumer(aTopic(), 1)
      client.command('FIN 123456789012345')
      expect(await client.refusal()).toBe('E_INVALID invalid message ID')
      await client.closed()
    })

    it('45. delivers again at once what was requeued without a delay', async () => {
      const topic = aTopic()
      await plain().publish(topic, 'again')
      const client = await consumer(topic, 1)
      const first = await client.message()
      client.command(`REQ ${first.id} 0`)
      const second = await client.message()
      expect(second).toEqual({ ...first, attempts: 2 })
      expect(await numbers(topic)).toMatchObject({ requeue_count: 1, timeout_count: 0, message_count: 1 })
      expect((await numbers(topic)).clients[0]).toMatchObject({ requeue_count: 1, in_flight_count: 1 })
      client.close()
    })

    it('46. defers what was requeued with a delay, and cuts a delay above the maximum', async () => {
      const topic = aTopic()
      await plain().publish(topic, 'later')
      const client = await consumer(topic, 1)
      const { id } = await client.message()
      const requeued = Date.now()
      client.command(`REQ ${id} 2000`)
      await eventually(async () =>
        expect(await numbers(topic)).toMatchObject({ deferred_count: 1, depth: 0, in_flight_count: 0 }),
      )
      const again = await client.message()
      expect(again).toMatchObject({ id, attempts: 2 })
      expect(Date.now() - requeued).toBeGreaterThanOrEqual(1990)
      client.command(`REQ ${id} ${24 * 60 * 60 * 1000}`)
      await eventually(async () => expect(await numbers(topic)).toMatchObject({ deferred_count: 1, requeue_count: 2 }))
      client.close()
    })

    it('47. delivers again what was not answered in time, and refuses the late FIN without closing', async () => {
      const topic = aTopic()
      await plain().publish(topic, 'forgotten')
      const client = await consumer(topic, 1, { msg_timeout: 1000 })
      const { id } = await client.message()
      const delivered = Date.now()
      client.command('RDY 0')
      await eventually(async () => expect((await numbers(topic)).timeout_count).toBe(1))
      expect(Date.now() - delivered).toBeGreaterThanOrEqual(990)
      expect(await numbers(topic)).toMatchObject({ requeue_count: 0, depth: 1, in_flight_count: 0 })
      client.command(`FIN ${id}`)
      expect(await client.refusal()).toBe(`E_FIN_FAILED FIN ${id} failed ID not in flight`)
      client.command('RDY 1')
      expect(await client.message()).toMatchObject({ id, attempts: 2 })
      client.close()
    })

    it('48. extends the time with TOUCH, and refuses TOUCH of an unknown id without closing', async () => {
      const topic = aTopic()
      await plain().publish(topic, 'taking its time')
      const client = await consumer(topic, 1, { msg_timeout: 1000 })
      const { id } = await client.message()
      const end = Date.now() + 2500 + subject.slack
      while (Date.now() < end) {
        await client.silence(400)
        client.command(`TOUCH ${id}`)
      }
      expect(await numbers(topic)).toMatchObject({ timeout_count: 0, in_flight_count: 1 })
      client.command('TOUCH ffffffffffffffff')
      expect(await client.refusal()).toBe('E_TOUCH_FAILED TOUCH ffffffffffffffff failed ID not in flight')
      client.command(`FIN ${id}`)
      await eventually(async () => expect((await numbers(topic)).in_flight_count).toBe(0))
      client.close()
    })

    it('49. stops pushing after CLS, takes the outstanding FIN, and leaves closing to the client', async () => {
      const topic = aTopic()
      await plain().publish(topic, 'outstanding', 'waiting')
      const client = await consumer(topic, 1)
      const { id } = await client.message()
      client.command('CLS')
      expect(await client.response()).toBe('CLOSE_WAIT')
      client.command('RDY 5')
      client.command(`FIN ${id}`)
      await client.silence(500)
      expect(await numbers(topic)).toMatchObject({ in_flight_count: 0, depth: 1 })
      expect((await numbers(topic)).clients[0]).toMatchObject({ state: 4, finish_count: 1 })
      client.close()
      const early = await RawClient.to(plain().port)
      early.command('CLS')
      expect(await early.refusal()).toBe('E_INVALID cannot CLS in current state')
      await early.closed()
    })

    it('50. beats every second when told so, keeps who answers and closes who is silent', async () => {
      const topic = aTopic()
      const started = Date.now()
      const alive = await consumer(topic, 1, { heartbeat_interval: 1000 })
      const silent = await consumer(topic, 1, { heartbeat_interval: 1000 })
      silent.ignoreHeartbeats()
      await silent.closed()
      expect(Date.now() - started).toBeGreaterThan(1500)
      await alive.heartbeat(4)
      expect(alive.isClosed).toBe(false)
      // One may come late on a busy machine, and then the next sooner after it; not all sooner.
      const beats = alive.heartbeats
      expect((beats.at(-1) ?? 0) - (beats[0] ?? 0)).toBeGreaterThan((beats.length - 1) * 1000 - 500)
      alive.close()
    })

    it('leaves a message in flight to its owner, and to nobody else', async () => {
      const topic = aTopic()
      await plain().publish(topic, 'owned')
      const owner = await consumer(topic, 1)
      const { id } = await owner.message()
      const other = await consumer(topic, 1)
      for (const command of ['FIN', 'REQ', 'TOUCH']) {
        other.command(`${command} ${id}${command === 'REQ' ? ' 0' : ''}`)
        expect(await other.refusal()).toBe(`E_${command}_FAILED ${command} ${id} failed client does not own message`)
      }
      owner.command(`FIN ${id}`)
      await eventually(async () => expect((await numbers(topic)).in_flight_count).toBe(0))
      for (const client of [owner, other]) client.close()
    })
  })
}
