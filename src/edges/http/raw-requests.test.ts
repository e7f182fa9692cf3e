import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { oneAtATime } from './raw-requests.js'

let server: Server
afterEach(() => server.close())

/** Sends so many requests in one go and reads until the server hangs up. */
async function exchange(count: number, listener: RequestListener): Promise<string> {
  server = createServer(oneAtATime(listener)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk
  })
  socket.on('error', () => {})
  const requests = Array.from({ length: count }, (_, each) => `GET /${each + 1} HTTP/1.1\r\nHost: x\r\n\r\n`)
  socket.write(requests.join(''))
  await once(socket, 'close')
  return text
}

describe('pipelined requests', () => {
  it('are carried out one at a time, in their order', async () => {
    let underWay = 0
    let most = 0
    const begun: string[] = []
    const answer = await exchange(50, async ({ url = '' }, response) => {
      begun.push(url)
      most = Math.max(most, ++underWay)
      await setTimeout(1)
      underWay--
      response.shouldKeepAlive = url !== '/50'
      response.end(`[${url}]`)
    })
    expect(most).toBe(1)
    expect(begun).toEqual(Array.from({ length: 50 }, (_, each) => `/${each + 1}`))
    expect(answer.match(/\[.+?\]/g)).toEqual(begun.map((url) => `[${url}]`))
  })

  it('are not collected without end: the connection ends after the answer that is under way', async () => {
    const begun: string[] = []
    const answer = await exchange(5000, async ({ url = '' }, response) => {
      begun.push(url)
      await setTimeout(100)
      response.end(`[${url}]`)
    })
    expect(begun).toEqual(['/1'])
    expect(answer.match(/\[.+?\]/g)).toEqual(['[/1]'])
  })
})
