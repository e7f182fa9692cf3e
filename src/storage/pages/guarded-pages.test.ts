import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { writeWithoutEnd } from '../../../test/support/write-without-end.js'
import { guardedPages, type PageLimits } from './guarded-pages.js'

const home = 'https://sho.rt'
const running = new AbortController().signal

describe('guardedPages', () => {
  let answer: (request: IncomingMessage, response: ServerResponse) => void
  let requests: IncomingMessage[]
  let port: number
  const server = createServer((request, response) => {
    requests.push(request)
    answer(request, response)
  })
  beforeEach(async () => {
    requests = []
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    port = (server.address() as AddressInfo).port
  })
  afterEach(async () => {
    server.closeAllConnections()
    await new Promise((closed) => server.close(closed))
  })

  const local = (path = '/') => `http://127.0.0.1:${port}${path}`
  const allowLocal = (limits: Partial<PageLimits> = {}) => guardedPages({ home, limits, allow: ['127.0.0.1'] })
  const html = (text: string, headers = {}) => {
    answer = (_, response) => response.writeHead(200, { 'content-type': 'text/html', ...headers }).end(text)
  }
  const redirectTo = (location: string, status = 302) => {
    answer = (_, response) => response.writeHead(status, { location }).end()
  }

  it('reads the title and says who is asking', async () => {
    html('<title>Caf&eacute;</title>')
    expect(await allowLocal().title(local('/a?b=1'), running)).toEqual({ title: 'Café' })
    expect(requests[0]?.url).toBe('/a?b=1')
    expect(requests[0]?.headers['user-agent']).toContain('+https://sho.rt')
  })

  it.each([301, 302, 303, 307, 308])('follows %i', async (status) => {
    answer = (request, response) => {
      if (request.url === '/') response.writeHead(status, { location: '/next' }).end()
      else response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<title>next</title>')
    }
    expect(await allowLocal().title(local(), running)).toEqual({ title: 'next' })
  })

  it('follows three redirects and not a fourth', async () => {
    answer = (request, response) => {
      const left = Number(request.url?.slice(1))
      if (left > 0) response.writeHead(302, { location: `/${left - 1}` }).end()
      else response.writeHead(200, { 'content-type': 'text/html' }).end('<title>there</title>')
    }
    expect(await allowLocal().title(local('/3'), running)).toEqual({ title: 'there' })
    expect(await allowLocal().title(local('/4'), running)).toEqual({ none: 'unsuitable' })
  })

  it('refuses forbidden addresses, at first and after a redirect', async () => {
    const other = `http://127.0.0.2:${port}/`
    expect(await allowLocal().title(other, running)).toEqual({ none: 'refused' })
    redirectTo(other)
    expect(await allowLocal().title(local(), running)).toEqual({ none: 'refused' })
    expect(requests).toHaveLength(1)
  })

  it.each([
    'http://127.0.0.1/',
    'http://localhost/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://[::1]/',
    'http://169.254.169.254/latest/meta-data/',
    'http://0/',
    'http://1.1.1.1:8080/',
    'https://1.1.1.1:22/',
  ])('reaches nothing on this machine or its network, and only web ports elsewhere: %s', async (url) => {
    expect(await guardedPages({ home }).title(url, running)).toEqual({ none: 'refused' })
  })

  it.each([
    ['text', () => html('<title>a</title>', { 'content-type': 'text/plain' })],
    ['XML', () => html('<title>a</title>', { 'content-type': 'application/xml' })],
    ['what only begins like HTML', () => html('<title>a</title>', { 'content-type': 'text/html5' })],
    ['compressed pages, which it did not ask for', () => html('x', { 'content-encoding': 'gzip' })],
    ['pages without a title', () => html('<p>hello')],
    ['a redirect to nowhere', () => redirectTo('http://[')],
  ])('takes no title from %s', async (_, prepare) => {
    prepare()
    expect(await allowLocal().title(local(), running)).toEqual({ none: 'unsuitable' })
  })

  it('takes no title from an error', async () => {
    answer = (_, response) => response.writeHead(404, { 'content-type': 'text/html' }).end('<title>Not found</title>')
    expect(await allowLocal().title(local(), running)).toEqual({ none: 'unsuitable' })
  })

  it('reads no further than 512 KiB of a page without end', async () => {
    let sent = () => 0
    answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' })
      sent = writeWithoutEnd(response)
    }
    expect(await allowLocal().title(local(), running)).toEqual({ none: 'unsuitable' })
    // Beside what was read: what fits into the buffers of two sockets.
    expect(sent()).toBeLessThan(16 * 1024 * 1024)
  })

  it('finds a title that ends within the limit, and none that ends behind it', async () => {
    const before = (size: number) => html(`${' '.repeat(size)}<title>far</title>`)
    before(400 * 1024)
    expect(await allowLocal().title(local(), running)).toEqual({ title: 'far' })
    before(512 * 1024)
    expect(await allowLocal().title(local(), running)).toEqual({ none: 'unsuitable' })
  })

  it('stops reading once it has the title, though the page goes on', async () => {
    answer = (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).write('<title>early</title>')
    expect(await allowLocal().title(local(), running)).toEqual({ title: 'early' })
  })

  it('notices the end of a title that comes in pieces', async () => {
    answer = async (_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' })
      for (const piece of '<title>letter by letter</title>') {
        response.write(piece)
        await nextTurn()
      }
    }
    expect(await allowLocal().title(local(), running)).toEqual({ title: 'letter by letter' })
  })

  it.each([
    ['says nothing', () => {}],
    [
      'never ends',
      (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/html' }).write('<html>'),
    ],
  ])('gives up on a page that %s', async (_, begin) => {
    answer = (_request, response) => begin(response)
    expect(await allowLocal({ milliseconds: 100 }).title(local(), running)).toEqual({ none: 'failed' })
  })

  it('counts redirects into the same time', async () => {
    answer = (_, response) => setTimeout(() => response.writeHead(302, { location: '/again' }).end(), 60)
    expect(await allowLocal({ milliseconds: 150 }).title(local(), running)).toEqual({ none: 'failed' })
  })

  it.each([
    ['a connection that breaks', (response: ServerResponse) => response.destroy()],
    ['an answer that is not HTTP', (response: ServerResponse) => response.socket?.end('hello\r\n\r\n')],
  ])('fails quietly on %s', async (_, begin) => {
    answer = (_request, response) => begin(response)
    expect(await allowLocal().title(local(), running)).toEqual({ none: 'failed' })
  })

  it('stops at once when told to', async () => {
    answer = () => {}
    const stop = new AbortController()
    const fetching = allowLocal().title(local(), stop.signal)
    stop.abort()
    await expect(fetching).rejects.toThrow()
  })
})
