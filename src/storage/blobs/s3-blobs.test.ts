import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { S3Server, whyNoS3 } from '../../../test/support/s3-server.js'
import { blobsContract } from '../../core/images/blobs.contract.js'
import { locationOf, s3Blobs } from './s3-blobs.js'

const key = `${'a'.repeat(64)}-0123456789`
const skip = whyNoS3()

describe.skipIf(skip)(`an S3 server${skip === undefined ? '' : ` (skipped: ${skip})`}`, () => {
  let server: S3Server
  beforeAll(async () => {
    server = await S3Server.start()
  })
  afterAll(() => server.stop())

  blobsContract(async () => s3Blobs(server.url()))

  it('is found to be usable, and is left as it was', async () => {
    const before = server.objects
    await s3Blobs(server.url()).check()
    expect(server.objects).toEqual(before)
  })

  it.each([
    ['a wrong secret', { secret: 'wrong' }, /403 SignatureDoesNotMatch/],
    ['a bucket that does not exist', { bucket: 'nothing' }, /404 NoSuchBucket/],
    ['another region', { region: 'us-west-1' }, /400 AuthorizationHeaderMalformed/],
  ])('says what it says to %s, without the secret', async (_what, change, words) => {
    const blobs = s3Blobs(server.url(change))
    await expect(blobs.check()).rejects.toThrow(words)
    await expect(blobs.get(key)).rejects.toThrow(words)
    await expect(blobs.check()).rejects.not.toThrow(/wrong|wJalr/)
    expect(blobs.server.status).toMatchObject({ state: 'failing', failure: expect.stringMatching(words) })
  })

  it('that is away is a refusal to try again later, and is used again when it is back', async () => {
    const blobs = s3Blobs(server.url(), { pause: 1 })
    await server.kill()
    await expect(blobs.put(key, Uint8Array.of(1), 'image/png')).rejects.toMatchObject({
      code: 'TEMPORARILY_UNAVAILABLE',
      details: { retryAfter: expect.any(Number) },
    })
    expect(blobs.server.status).toMatchObject({ state: 'failing' })
    await server.run()
    await vi.waitFor(() => expect(blobs.server.status).toMatchObject({ state: 'ok' }), { timeout: 60_000 })
    await blobs.put(key, Uint8Array.of(1), 'image/png')
    expect([...((await blobs.get(key)) ?? [])]).toEqual([1])
  })
})

describe('a store that refuses us', () => {
  it('is failing until it accepts something, and is asked each time', async () => {
    let refuses = true
    const store = createServer((_request, response) => {
      if (refuses) response.writeHead(403).end('<Code>SignatureDoesNotMatch</Code>')
      else response.writeHead(200).end()
    }).listen(0, '127.0.0.1')
    onTestFinished(() => void store.close())
    await new Promise((resolve) => store.once('listening', resolve))
    const blobs = s3Blobs(`http://a:b@127.0.0.1:${(store.address() as AddressInfo).port}/bucket`)
    expect(blobs.server.status).toEqual({ state: 'unused' })
    await expect(blobs.check()).rejects.toThrow('The S3 store answered 403 SignatureDoesNotMatch')
    const failing = { state: 'failing', failure: 'The S3 store answered 403 SignatureDoesNotMatch' }
    expect(blobs.server.status).toMatchObject(failing)
    refuses = false
    // Reading is allowed to more than may write.
    await blobs.get(key)
    expect(blobs.server.status).toMatchObject(failing)
    await blobs.put(key, Uint8Array.of(1), 'image/png')
    expect(blobs.server.status).toMatchObject({ state: 'ok' })
  })
})

describe('a store that fails now and then', () => {
  let server: Server | undefined
  afterEach(() => server?.close())

  async function answering(listener: RequestListener): Promise<string> {
    server = createServer(listener).listen(0, '127.0.0.1')
    await new Promise((resolve) => server?.once('listening', resolve))
    return `http://a:b@127.0.0.1:${(server.address() as AddressInfo).port}/bucket`
  }

  it('is asked again', async () => {
    let asked = 0
    const url = await answering((_request, response) => {
      asked += 1
      response.writeHead(asked < 3 ? 503 : 200).end('bytes')
    })
    expect(Buffer.from((await s3Blobs(url, { pause: 1 }).get(key)) ?? []).toString()).toBe('bytes')
    expect(asked).toBe(3)
  })

  it('is given up after three times', async () => {
    let asked = 0
    const url = await answering((_request, response) => {
      asked += 1
      response.writeHead(500).end()
    })
    await expect(s3Blobs(url, { pause: 1 }).get(key)).rejects.toMatchObject({ code: 'TEMPORARILY_UNAVAILABLE' })
    expect(asked).toBe(3)
  })

  it('is not waited for without end', async () => {
    const url = await answering(() => {})
    const blobs = s3Blobs(url, { pause: 1, timeout: 20 })
    await expect(blobs.get(key)).rejects.toMatchObject({ code: 'TEMPORARILY_UNAVAILABLE' })
  })
})

describe('where the URL leads', () => {
  it.each([
    ['https://k:s@s3.example.com/bucket', { origin: 'https://s3.example.com', path: '/bucket', region: 'us-east-1' }],
    [
      'https://k:s%2F%2B@s3.example.com:9000/bucket/a/b/?region=eu-central-1',
      { origin: 'https://s3.example.com:9000', path: '/bucket/a/b', region: 'eu-central-1', secretKey: 's/+' },
    ],
    [
      'https://k:s@s3.eu-central-1.amazonaws.com/bucket/a?region=eu-central-1&style=virtual',
      { origin: 'https://bucket.s3.eu-central-1.amazonaws.com', path: '/a', region: 'eu-central-1' },
    ],
    [
      'https://k:s@s3.example.com/bucket?style=virtual',
      { origin: 'https://bucket.s3.example.com', path: '', accessKey: 'k' },
    ],
  ])('%s', (url, location) => {
    expect(locationOf(url)).toMatchObject(location)
  })
})
