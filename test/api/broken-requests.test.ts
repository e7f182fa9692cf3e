import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StartedApp, startApp } from '../support/start-app.js'

/** Bytes that no parser can read follow a request that was read and carried out. */
describe('a request with something behind it', () => {
  let started: StartedApp
  beforeAll(async () => {
    started = await startApp()
  })
  afterAll(() => started.close())

  /** All that comes back until the service hangs up. */
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

  it('is answered as it was carried out: a DELETE whose body has no length', async () => {
    const id = await aLink('https://example.com/deleted')
    const answer = await exchange(`${ask(`DELETE /v4/shortlinks/${id}`)}{"stray":"body"}`)
    expect(statuses(answer)).toEqual([200])
    expect(answer).toContain(`{"links_deleted":[{"id":"${id}"}]}`)
    expect(answer).toMatch(/^connection: close\r$/im)
  })

  it('is answered with the link that was made, in one packet with garbage', async () => {
    const answer = await exchange(`${shorten('https://example.com/made')}\0garbage\r\n\r\n`)
    expect(statuses(answer)).toEqual([201])
    expect(answer).toContain('"long_url":"https://example.com/made"')
  })

  it('is answered like those before it, in their order', async () => {
    const pieces = ['a', 'b', 'c'].map((name) => shorten(`https://example.com/pipelined/${name}`))
    const answer = await exchange(`${pieces.join('')}\0garbage\r\n\r\n`)
    expect(statuses(answer)).toEqual([201, 201, 201])
    expect(answer.match(/pipelined\/[abc]/g)).toEqual(['pipelined/a', 'pipelined/b', 'pipelined/c'])
    expect(answer.match(/^connection: close\r$/gim)).toHaveLength(1)
  })

  it('is answered when it is a redirect, counted and followed by garbage', async () => {
    const [, hash] = (await aLink('https://example.com/visited')).split('/')
    const visit = `GET /${hash} HTTP/1.1\r\nHost: ${started.domain}\r\n\r\n`
    expect(statuses(await exchange(`${visit}\0garbage\r\n\r\n`))).toEqual([301])
    // Once more: now the target is in memory.
    expect(statuses(await exchange(`${visit}\0garbage\r\n\r\n`))).toEqual([301])
  })

  it('is refused when its own body is what cannot be read, and nothing is made', async () => {
    const head = ask('POST /v4/shorten').slice(0, -2)
    const broken = `${head}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`
    expect(statuses(await exchange(broken))).toEqual([400])
    expect(statuses(await exchange(`${shorten('https://example.com/first')}${broken}`))).toEqual([201, 400])
  })

  it('is refused when nothing came before the garbage', async () => {
    expect(statuses(await exchange('\0garbage\r\n\r\n'))).toEqual([400])
  })
})
