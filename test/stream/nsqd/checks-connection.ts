import { describe, expect, it } from 'vitest'
import type { CheckContext } from './checks.js'
import { error, RawClient, size } from './raw-client.js'
import { aTopic, channelOf } from './subject.js'

const negotiated = {
  max_rdy_count: 2500,
  version: expect.stringMatching(/^1\.\d+\.\d+/),
  max_msg_timeout: 900_000,
  msg_timeout: 60_000,
  tls_v1: false,
  deflate: false,
  deflate_level: 6,
  max_deflate_level: 6,
  snappy: false,
  sample_rate: 0,
  auth_required: false,
  output_buffer_size: 16_384,
  output_buffer_timeout: 250,
}

export function connectionChecks({ subject, plain }: CheckContext): void {
  const refusedIdentify = async (body: string | Buffer): Promise<string> => {
    const client = await RawClient.to(plain().port)
    client.command('IDENTIFY', body)
    const text = await client.refusal()
    await client.closed()
    return text
  }
  const refused = (fields: object): Promise<string> => refusedIdentify(JSON.stringify(fields))
  const negotiate = async (fields: object): Promise<Record<string, unknown>> => {
    const client = await RawClient.to(plain().port)
    const answer = await client.negotiate(fields)
    client.close()
    return answer
  }

  describe('connection and IDENTIFY', () => {
    it('1. says nothing after the magic, and stays', async () => {
      const client = await RawClient.to(plain().port)
      await client.silence(200)
      expect(client.bytesReceived).toBe(0)
      client.close()
    })

    it('2. answers another magic with E_BAD_PROTOCOL and closes', async () => {
      const client = await RawClient.silent(plain().port)
      client.send('  V9')
      expect(await client.frame()).toEqual({ type: error, data: Buffer.from('E_BAD_PROTOCOL') })
      await client.closed()
      expect(client.bytesReceived).toBe(4 + 4 + 'E_BAD_PROTOCOL'.length)
    })

    it('3. goes on serving others when a client leaves before its four bytes', async () => {
      const topic = aTopic()
      const early = await RawClient.silent(plain().port)
      early.send('  V')
      early.close()
      const consumer = await RawClient.to(plain().port)
      await consumer.subscribe(topic, 'ch')
      expect((await channelOf(plain(), topic, 'ch')).clients).toHaveLength(1)
      consumer.close()
    })

    it('4. answers a command that it does not know with E_INVALID and closes', async () => {
      const client = await RawClient.to(plain().port)
      client.command('ASDF')
      expect(await client.refusal()).toBe('E_INVALID invalid command ASDF')
      await client.closed()
    })

    it('5. answers empty lines with E_INVALID and closes, and survives', async () => {
      const client = await RawClient.to(plain().port)
      client.send('\n\n')
      expect(await client.refusal()).toMatch(/^E_INVALID invalid command/)
      await client.closed()
      const next = await RawClient.to(plain().port)
      expect(await next.negotiate()).toMatchObject({ tls_v1: false })
      next.close()
    })

    it('6. answers IDENTIFY without negotiation with OK and stays in clear, whatever was asked for', async () => {
      const client = await RawClient.to(plain().port)
      client.identify({ feature_negotiation: false, tls_v1: true, deflate: true })
      expect(await client.response()).toBe('OK')
      client.command(`SUB ${aTopic()} ch`)
      expect(await client.response()).toBe('OK')
      client.close()
    })

    it('7. answers IDENTIFY with negotiation with all fields in JSON', async () => {
      expect(await negotiate({})).toEqual(negotiated)
    })

    it('8. accepts keys that it does not know, and the old ids', async () => {
      const fields = { short_id: 'a', long_id: 'a.example', surprise: [1, { two: 2 }], client_id: 'a' }
      expect(await negotiate(fields)).toEqual(negotiated)
    })

    it('8b. takes null for an IDENTIFY that asks for nothing', async () => {
      const client = await RawClient.to(plain().port)
      client.command('IDENTIFY', 'null')
      expect(await client.response()).toBe('OK')
      await client.subscribe(aTopic(), 'ch')
      client.close()
      for (const body of ['[]', '1', '"null"', 'true'])
        expect(await refusedIdentify(body)).toBe('E_BAD_BODY IDENTIFY failed to decode JSON body')
    })

    it('9. refuses an IDENTIFY that is no JSON, empty, or too large before it is sent', async () => {
      expect(await refusedIdentify('{')).toBe('E_BAD_BODY IDENTIFY failed to decode JSON body')
      expect(await refusedIdentify('')).toBe('E_BAD_BODY IDENTIFY invalid body size 0')
      const client = await RawClient.to(plain().port)
      client.send('IDENTIFY\n', size(5 * 1024 * 1024 + 1))
      expect(await client.refusal()).toBe('E_BAD_BODY IDENTIFY body too big 5242881 > 5242880')
      await client.closed()
      const negative = await RawClient.to(plain().port)
      negative.send('IDENTIFY\n', size(-1))
      expect(await negative.refusal()).toBe('E_BAD_BODY IDENTIFY invalid body size -1')
      await negative.closed()
    })

    it('10. takes a heartbeat interval from 1000 to the maximum', async () => {
      for (const interval of [999, 60_001, -2])
        expect(await refused({ heartbeat_interval: interval })).toBe(
          `E_BAD_BODY IDENTIFY heartbeat interval (${interval}) is invalid`,
        )
      expect(await negotiate({ heartbeat_interval: 60_000 })).toEqual(negotiated)
      expect(await negotiate({ heartbeat_interval: 1000 })).toEqual(negotiated)
    })

    it('11. takes a sample rate from 0 to 99 and a message time-out from 1000', async () => {
      for (const rate of [100, -1])
        expect(await refused({ sample_rate: rate })).toBe(`E_BAD_BODY IDENTIFY sample rate (${rate}) is invalid`)
      expect(await negotiate({ sample_rate: 99 })).toMatchObject({ sample_rate: 99 })
      for (const timeout of [999, 900_001])
        expect(await refused({ msg_timeout: timeout })).toBe(`E_BAD_BODY IDENTIFY msg timeout (${timeout}) is invalid`)
      expect(await negotiate({ msg_timeout: 1000 })).toMatchObject({ msg_timeout: 1000 })
    })

    it('12. takes an output buffer within its limits, or none', async () => {
      expect(await negotiate({ output_buffer_size: -1 })).toMatchObject({
        output_buffer_size: 1,
        output_buffer_timeout: 0,
      })
      expect(await negotiate({ output_buffer_size: 64, output_buffer_timeout: 25 })).toMatchObject({
        output_buffer_size: 64,
        output_buffer_timeout: 25,
      })
      for (const bytes of [63, 64 * 1024 + 1])
        expect(await refused({ output_buffer_size: bytes })).toBe(
          `E_BAD_BODY IDENTIFY output buffer size (${bytes}) is invalid`,
        )
      for (const timeout of [24, 30_001])
        expect(await refused({ output_buffer_timeout: timeout })).toBe(
          `E_BAD_BODY IDENTIFY output buffer timeout (${timeout}) is invalid`,
        )
    })

    it('13. compresses both ways after deflate was granted, and does not keep small messages back', async () => {
      const topic = aTopic()
      const client = await RawClient.to(plain().port)
      expect(await client.negotiate({ deflate: true })).toMatchObject({ deflate: true, deflate_level: 6 })
      client.upgradeToDeflate()
      expect(await client.response()).toBe('OK')
      await client.subscribe(topic, 'ch', 1)
      await client.publish(topic, 'small')
      const { body, id } = await client.message()
      expect(body.toString()).toBe('small')
      client.command(`FIN ${id}`)
      const large = Buffer.alloc(300_000, 'repeated ')
      await client.publish(topic, large)
      expect((await client.message()).body.equals(large)).toBe(true)
      expect((await channelOf(plain(), topic, 'ch')).clients[0]).toMatchObject({ deflate: true, finish_count: 1 })
      client.close()
    })

    it('14. refuses deflate and snappy together when it offers both, else grants deflate alone', async () => {
      if (!subject.offersSnappy) {
        expect(await negotiate({ deflate: true, snappy: true })).toMatchObject({ deflate: true, snappy: false })
        return
      }
      expect(await refused({ feature_negotiation: true, deflate: true, snappy: true })).toBe(
        'E_IDENTIFY_FAILED cannot enable both deflate and snappy compression',
      )
    })

    it('15. lowers a deflate level above the maximum', async () => {
      expect(await negotiate({ deflate: true, deflate_level: 9 })).toMatchObject({ deflate_level: 6 })
      expect(await negotiate({ deflate: true, deflate_level: 2 })).toMatchObject({ deflate_level: 2 })
    })

    it('16. refuses IDENTIFY after SUB', async () => {
      const client = await RawClient.to(plain().port)
      await client.subscribe(aTopic(), 'ch')
      client.identify({})
      expect(await client.refusal()).toBe('E_INVALID cannot IDENTIFY in current state')
      await client.closed()
    })

    it('reads commands in whatever pieces they come', async () => {
      const topic = aTopic()
      const client = await RawClient.silent(plain().port)
      const said = Buffer.from(
        `  V2IDENTIFY\n\0\0\0\x02{}SUB ${topic} ch\nPUB ${topic}\n\0\0\0\x03abcRDY 1\r\nNOP\n`,
        'latin1',
      )
      for (const byte of said) {
        client.send(Buffer.of(byte))
        await new Promise((resolve) => setImmediate(resolve))
      }
      expect([await client.response(), await client.response(), await client.response()]).toEqual(['OK', 'OK', 'OK'])
      expect((await client.message()).body.toString()).toBe('abc')
      client.close()
    })

    it('closes a connection whose line never ends, without a frame', async () => {
      const client = await RawClient.to(plain().port)
      client.send('x'.repeat(17 * 1024))
      await client.closed()
      expect(client.bytesReceived).toBe(0)
    })
  })
}
