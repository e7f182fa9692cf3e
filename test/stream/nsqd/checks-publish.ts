import { describe, expect, it } from 'vitest'
import type { CheckContext } from './checks.js'
import { batch, RawClient, size, sized } from './raw-client.js'
import { aTopic, channelOf, eventually } from './subject.js'

const mebibyte = 1024 * 1024

export function publishChecks({ plain }: CheckContext): void {
  const refused = async (...said: readonly (string | Buffer)[]): Promise<string> => {
    const client = await RawClient.to(plain().port)
    client.send(...said)
    const text = await client.refusal()
    await client.closed()
    return text
  }

  describe('publishing', () => {
    it('51. takes a message with PUB, and refuses an empty or a large one', async () => {
      const topic = aTopic()
      const client = await RawClient.to(plain().port)
      client.command(`PUB ${topic}`, 'published')
      expect(await client.response()).toBe('OK')
      await eventually(async () => expect(await plain().stats(topic)).toMatchObject({ depth: 1, message_count: 1 }))
      client.close()
      expect(await refused(`PUB ${topic}\n`, size(0))).toBe('E_BAD_MESSAGE PUB invalid message body size 0')
      expect(await refused(`PUB ${topic}\n`, size(-5))).toBe('E_BAD_MESSAGE PUB invalid message body size -5')
      expect(await refused(`PUB ${topic}\n`, size(mebibyte + 1))).toBe(
        `E_BAD_MESSAGE PUB message too big ${mebibyte + 1} > ${mebibyte}`,
      )
      expect(await refused('PUB\n')).toBe('E_INVALID PUB insufficient number of parameters')
      // Before the body: nothing more has to be sent.
      expect(await refused('PUB bad/name\n')).toBe('E_BAD_TOPIC PUB topic name "bad/name" is not valid')
      expect(await plain().stats(topic)).toMatchObject({ message_count: 1 })
    })

    it('52. takes all messages of MPUB or none', async () => {
      const topic = aTopic()
      const client = await RawClient.to(plain().port)
      await client.publish(topic, '1', '2', '3', '4', '5')
      await eventually(async () => expect(await plain().stats(topic)).toMatchObject({ depth: 5 }))
      client.close()
      const mpub = `MPUB ${topic}\n`
      expect(await refused(mpub, sized(batch(['good', ''])))).toBe('E_BAD_MESSAGE MPUB invalid message(1) body size 0')
      const tooLarge = sized(batch(['good', Buffer.alloc(mebibyte + 1)]))
      const untilItsSize = tooLarge.length - (mebibyte + 1)
      expect(await refused(mpub, tooLarge.subarray(0, untilItsSize))).toBe(
        `E_BAD_MESSAGE MPUB message too big ${mebibyte + 1} > ${mebibyte}`,
      )
      expect(await refused(mpub, size(5 * mebibyte + 1))).toBe(
        `E_BAD_BODY MPUB body too big ${5 * mebibyte + 1} > ${5 * mebibyte}`,
      )
      expect(await refused(mpub, size(0))).toBe('E_BAD_BODY MPUB invalid body size 0')
      expect(await refused(mpub, sized(size(0)))).toBe('E_BAD_BODY MPUB invalid message count 0')
      expect(await plain().stats(topic)).toMatchObject({ depth: 5, message_count: 5 })
    })

    it('52b. reads MPUB by the sizes of its messages, whatever the size of the batch says', async () => {
      const topic = aTopic()
      const client = await RawClient.to(plain().port)
      const bodies = batch(['one', 'two', 'three'])
      for (const said of [1, bodies.length - 1, bodies.length + 40]) {
        client.send(`MPUB ${topic}\n`, size(said), bodies, `PUB ${topic}\n`, sized('behind it'))
        expect([await client.response(), await client.response()]).toEqual(['OK', 'OK'])
      }
      await client.subscribe(topic, 'ch', 20)
      const received = (await client.messages(12)).map(({ body }) => body.toString())
      expect(received.sort()).toEqual(['one', 'two', 'three', 'behind it'].flatMap((text) => [text, text, text]).sort())
      client.close()
    })

    it('53. defers a message of DPUB on the channels that exist, and refuses a delay over the maximum', async () => {
      const topic = aTopic()
      const client = await RawClient.to(plain().port)
      await client.subscribe(topic, 'ch', 5)
      const published = Date.now()
      client.command(`DPUB ${topic} 1000`, 'delayed')
      expect(await client.response()).toBe('OK')
      await eventually(async () =>
        expect(await channelOf(plain(), topic, 'ch')).toMatchObject({ deferred_count: 1, message_count: 1, depth: 0 }),
      )
      expect((await client.message()).body.toString()).toBe('delayed')
      expect(Date.now() - published).toBeGreaterThanOrEqual(990)
      client.close()
      expect(await refused(`DPUB ${topic} 3600001\n`, sized('body'))).toBe(
        'E_INVALID DPUB timeout 3600001 out of range 0-3600000',
      )
      expect(await refused(`DPUB ${topic} soon\n`, sized('body'))).toBe('E_INVALID DPUB could not parse timeout soon')
    })

    it('58. pushes nothing while a channel is paused, and goes on afterwards', async () => {
      const topic = aTopic()
      const client = await RawClient.to(plain().port)
      await client.subscribe(topic, 'ch', 5)
      await plain().pauseChannel(topic, 'ch', true)
      await plain().publish(topic, 'held', 'back')
      await eventually(async () =>
        expect(await channelOf(plain(), topic, 'ch')).toMatchObject({ paused: true, depth: 2 }),
      )
      await client.silence(300)
      await plain().pauseChannel(topic, 'ch', false)
      expect(await client.messages(2)).toHaveLength(2)
      expect(await channelOf(plain(), topic, 'ch')).toMatchObject({ paused: false, depth: 0 })
      client.close()
    })
  })
}
