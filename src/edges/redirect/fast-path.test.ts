import { describe, expect, it } from 'vitest'
import { readLastRequest, readPlainRequest } from './fast-path.js'

const read = (text: string) => readPlainRequest(Buffer.from(text, 'latin1'), '192.0.2.1')
const withHeaders = (...lines: string[]) => read(['GET /a HTTP/1.1', 'Host: sho.rt', ...lines, '', ''].join('\r\n'))

describe('a plain request', () => {
  it('is read with all that a visit is made of', () => {
    const text =
      'GET /3xYz12A?r=qr HTTP/1.1\r\nHost: sho.rt\r\nConnection: keep-alive\r\nUSER-AGENT: Some  agent\r\n' +
      'referer:https://example.com/\r\nAccept-Language:   de \r\nPurpose: prefetch\r\nX-Forwarded-For: 192.0.2.9, 10.0.0.1\r\n' +
      'Cookie: a=b\r\nIf-None-Match: "a"\r\nAccept-Encoding: gzip, br\r\n\r\n'
    expect(read(text)).toEqual({
      method: 'GET',
      url: '/3xYz12A?r=qr',
      host: 'sho.rt',
      userAgent: 'Some  agent',
      referrer: 'https://example.com/',
      language: 'de',
      purpose: 'prefetch',
      forwardedFor: '192.0.2.9, 10.0.0.1',
      ifNoneMatch: '"a"',
      acceptEncoding: 'gzip, br',
      remoteAddress: '192.0.2.1',
    })
  })

  it('has what was not sent as undefined, and what was sent empty as empty', () => {
    expect(withHeaders('User-Agent:')).toMatchObject({ userAgent: '', referrer: undefined, purpose: undefined })
  })

  it('prefers the newer name of the purpose', () => {
    expect(withHeaders('Purpose: old', 'Sec-Purpose: prefetch')).toMatchObject({ purpose: 'prefetch' })
  })

  it('may be HEAD, and may hold bytes beyond ASCII in a header', () => {
    expect(read('HEAD / HTTP/1.1\r\nHost: sho.rt\r\nUser-Agent: caf\xe9\xa0\r\n\r\n')).toMatchObject({
      method: 'HEAD',
      userAgent: 'caf\xe9\xa0',
    })
  })
})

describe('not plain is', () => {
  const host = 'Host: sho.rt\r\n'
  it.each([
    ['nothing', ''],
    ['half a request line', 'GET /a HT'],
    ['half the headers', `GET /a HTTP/1.1\r\n${host}`],
    ['a request and the beginning of another', `GET /a HTTP/1.1\r\n${host}\r\nG`],
    ['two requests', `GET /a HTTP/1.1\r\n${host}\r\n`.repeat(2)],
    ['another method', `POST /a HTTP/1.1\r\n${host}\r\n`],
    ['a method in small letters', `get /a HTTP/1.1\r\n${host}\r\n`],
    ['an older version', `GET /a HTTP/1.0\r\n${host}\r\n`],
    ['a whole URL', `GET http://sho.rt/a HTTP/1.1\r\n${host}\r\n`],
    ['a path with a space', `GET /a b HTTP/1.1\r\n${host}\r\n`],
    ['a path with a fragment', `GET /a#b HTTP/1.1\r\n${host}\r\n`],
    ['a path beyond ASCII', `GET /\xe9 HTTP/1.1\r\n${host}\r\n`],
    ['an empty line in front', `\r\nGET /a HTTP/1.1\r\n${host}\r\n`],
    ['line feeds alone', 'GET /a HTTP/1.1\nHost: sho.rt\n\n'],
    ['a carriage return alone', 'GET /a HTTP/1.1\r\nHost: sho.rt\rX: y\r\n\r\n'],
    ['a line feed inside a header', 'GET /a HTTP/1.1\r\nHost: sho.rt\nX: y\r\n\r\n'],
    ['a zero byte inside a header', 'GET /a HTTP/1.1\r\nHost: sho.rt\r\nX: a\0b\r\n\r\n'],
    ['no host', 'GET /a HTTP/1.1\r\nAccept: */*\r\n\r\n'],
    ['no header at all', 'GET /a HTTP/1.1\r\n\r\n'],
    ['a request longer than those of browsers', `GET /a HTTP/1.1\r\n${host}Cookie: ${'c'.repeat(8192)}\r\n\r\n`],
  ])('%s', (_what, text) => {
    expect(read(text)).toBeUndefined()
  })

  it.each([
    ['a second host', 'host: other.example'],
    ['a second user agent', 'User-Agent: a', 'user-agent: b'],
    ['a second forwarded address', 'X-Forwarded-For: 192.0.2.1', 'X-Forwarded-For: 192.0.2.2'],
    ['a length, whatever its letters', 'CONTENT-LENGTH: 0'],
    ['an encoding', 'Transfer-Encoding: chunked'],
    ['an upgrade', 'Upgrade: websocket'],
    ['an expectation', 'Expect: 100-continue'],
    ['a wish to hang up', 'Connection: close'],
    ['a connection with options', 'Connection: keep-alive, x-hop'],
    ['a folded line', 'X-Long: a', ' b'],
    ['a space before the colon', 'Content-Length : 5'],
    ['a name with a strange letter', 'X(y): z'],
    ['a line without a colon', 'nonsense'],
    ['a tab', 'X-Tab: a\tb'],
  ])('%s', (_what, ...lines) => {
    expect(withHeaders(...lines)).toBeUndefined()
  })
})

describe('the last request of a connection', () => {
  const last = (text: string) => readLastRequest(Buffer.from(text, 'latin1'), '192.0.2.1')
  it.each([
    'GET /a HTTP/1.0\r\nHost: sho.rt\r\n\r\n',
    'GET /a HTTP/1.0\r\nHost: sho.rt\r\nConnection: close\r\n\r\n',
    'GET /a HTTP/1.1\r\nHost: sho.rt\r\nconnection:CLOSE\r\n\r\n',
  ])('is read as a plain one: %j', (text) => {
    expect(last(text)).toEqual(withHeaders())
  })

  it.each([
    'GET /a HTTP/1.1\r\nHost: sho.rt\r\n\r\n',
    'GET /a HTTP/1.1\r\nHost: sho.rt\r\nConnection: close\r\nConnection: close\r\n\r\n',
    'GET /a HTTP/1.1\r\nHost: sho.rt\r\nConnection: close, te\r\n\r\n',
    'GET /a HTTP/1.1\r\nHost: sho.rt\r\nConnection: close\r\nContent-Length: 1\r\n\r\n',
    'GET /a HTTP/1.1\r\nHost: sho.rt\r\nConnection: close\r\n\r\nConnection: close\r\n',
    'GET /a HTTP/1.0\r\n\r\n',
  ])('is not %j', (text) => {
    expect(last(text)).toBeUndefined()
  })
})
