import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { useApp } from '../support/start-app.js'

/** Bytes that are not HTTP follow a request that was parsed and executed. */
describe('a request followed by garbage', () => {
  const started = useApp()

  /** Everything received until the service closes the connection. */
  function exchange(...pieces: string[]): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = connect(Number(new URL(started.url).port), '127.0.0.1')
      let text = ''
      socket.on('connect', () => {
        for (const piece of pieces) socket.write(piece)
      })
      socket.on('data', (chunk) => {
        text += chunk
      })
      socket.on('error', reject)
      socket.on('close', () => resolve(text))
    })
  }

  const ask = (line: string, body?: object) => {
    const text = body === undefined ? '' : JSON.stringify(body)
    const about = body === undefined ? '' : `Content-Type: application/json\r\nContent-Length: ${text.length}\r\n`
    return (
      `${line} HTTP/1.1\r\nHost: ${started.domain}\r\n` +
      `Authorization: Bearer ${started.token}\r\n${about}\r\n${text}`
    )
  }
  const shorten = (longUrl: string) => ask('POST /v4/shorten', { long_url: longUrl })
  const statuses = (answer: string) => answer.match(/HTTP\/1\.1 \d+/g)?.map((line) => Number(line.slice(9)))

  async function aLink(longUrl: string): Promise<string> {
    return (await started.request('POST', '/v4/shorten', { body: { long_url: longUrl } })).body.id
  }

  it('is answered normally: a DELETE with a body without a length', async () => {
    const id = await aLink('https://example.com/deleted')
    const answer = await exchange(`${ask(`DELETE /v4/shortlinks/${id}`)}{"stray":"body"}`)
    expect(statuses(answer)).toEqual([200])
    expect(answer).toContain(`{"links_deleted":[{"id":"${id}"}]}`)
    expect(answer).toMatch(/^connection: close\r$/im)
  })

  it('is answered with the new link if the garbage is in the same packet', async () => {
    const answer = await exchange(`${shorten('https://example.com/made')}\0garbage\r\n\r\n`)
    expect(statuses(answer)).toEqual([201])
    expect(answer).toContain('"long_url":"https://example.com/made"')
  })

  it('is answered after earlier requests, in order', async () => {
    const pieces = ['a', 'b', 'c'].map((name) => shorten(`https://example.com/pipelined/${name}`))
    const answer = await exchange(`${pieces.join('')}\0garbage\r\n\r\n`)
    expect(statuses(answer)).toEqual([201, 201, 201])
    expect(answer.match(/pipelined\/[abc]/g)).toEqual(['pipelined/a', 'pipelined/b', 'pipelined/c'])
    expect(answer.match(/^connection: close\r$/gim)).toHaveLength(1)
  })

  it('is answered and counted if it is a redirect', async () => {
    const [, hash] = (await aLink('https://example.com/visited')).split('/')
    const visit = `GET /${hash} HTTP/1.1\r\nHost: ${started.domain}\r\n\r\n`
    expect(statuses(await exchange(`${visit}\0garbage\r\n\r\n`))).toEqual([301])
    // Once more, now with the target in the cache.
    expect(statuses(await exchange(`${visit}\0garbage\r\n\r\n`))).toEqual([301])
  })

  it('is rejected if its own body is malformed, and creates nothing', async () => {
    const head = ask('POST /v4/shorten').slice(0, -2)
    const broken = `${head}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`
    expect(statuses(await exchange(broken))).toEqual([400])
    expect(statuses(await exchange(`${shorten('https://example.com/first')}${broken}`))).toEqual([201, 400])
  })

  it('is rejected if it is only garbage', async () => {
    expect(statuses(await exchange('\0garbage\r\n\r\n'))).toEqual([400])
  })
})
