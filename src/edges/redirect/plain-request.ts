/**
 * Parses a request for a short link if the bytes are exactly one complete, plain request: GET or HEAD in HTTP/1.1, no
 * body, no relevant header twice, no invalid byte. Anything unusual is left to node:http.
 */
import type { LinkRequest } from './link-request.js'

/** Undefined: not a plain request. */
export function readPlainRequest(bytes: Buffer, remoteAddress: string | undefined): LinkRequest | undefined {
  if (bytes.length > maxLength) return undefined
  const text = bytes.toString('latin1')
  const [requestLine, method = '', url = ''] = plain.exec(text) ?? []
  if (requestLine === undefined) return undefined

  const values: (string | undefined)[] = []
  for (let at = requestLine.length, end = text.length - 2; at < end; ) {
    const colon = text.indexOf(':', at)
    const lineEnd = text.indexOf('\r', colon)
    const meaning = meanings.get(text.slice(at, colon).toLowerCase())
    if (meaning !== undefined) {
      if (meaning === unusual || values[meaning] !== undefined) return undefined
      values[meaning] = trimmed(text, colon + 1, lineEnd)
    }
    at = lineEnd + 2
  }
  const [host, connection, userAgent, referrer, language, secPurpose, purpose, forwardedFor] = values
  if (host === undefined || (connection !== undefined && connection.toLowerCase() !== 'keep-alive')) return undefined
  return {
    method,
    url,
    host,
    userAgent,
    referrer,
    language,
    purpose: secPurpose ?? purpose,
    forwardedFor,
    remoteAddress,
  }
}

/** Browser requests have about one kilobyte; node:http accepts sixteen. */
const maxLength = 8192

/**
 * The request line, well-formed headers and the empty line. Stricter than the standard: no tabs, and only ASCII in the
 * path.
 */
const plain = /^(GET|HEAD) (\/[!"$-~]*) HTTP\/1\.1\r\n(?=(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+:[ -~\x80-\xff]*\r\n)+\r\n$)/

/** Requests with one of these headers are left to node:http. */
const unusual = -1

/** Relevant headers and the index of their value. */
const meanings: ReadonlyMap<string, number> = new Map([
  ...[
    'host',
    'connection',
    'user-agent',
    'referer',
    'accept-language',
    'sec-purpose',
    'purpose',
    'x-forwarded-for',
  ].map((name, place) => [name, place] as const),
  ...['content-length', 'transfer-encoding', 'upgrade', 'expect', 'trailer'].map((name) => [name, unusual] as const),
])

/** The standard allows spaces around a value; they do not belong to it. */
function trimmed(text: string, from: number, to: number): string {
  let start = from
  let end = to
  while (start < end && text.charCodeAt(start) === space) start++
  while (end > start && text.charCodeAt(end - 1) === space) end--
  return text.slice(start, end)
}

const space = ' '.charCodeAt(0)
