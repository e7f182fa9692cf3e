/**
 * A request for a short link, and the way to answer it. The redirect handler knows no more of HTTP than this, so that it
 * can stand behind the fast path and behind node:http alike.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'

export interface LinkRequest {
  readonly method: string
  /** As it was sent: path and query. */
  readonly url: string
  readonly host: string | undefined
  readonly userAgent: string | undefined
  readonly referrer: string | undefined
  readonly language: string | undefined
  /** Says that nobody has asked for the page yet: a browser fetches it ahead. */
  readonly purpose: string | undefined
  readonly forwardedFor: string | undefined
  /** The address at the other end of the connection. */
  readonly remoteAddress: string | undefined
}

/** To be called once. Headers are names and values in turns; the answer to HEAD goes out without the body. */
export type Send = (status: number, headers: readonly string[], body?: Buffer) => void

export function linkRequestOf({ method = '', url = '', headers, socket }: IncomingMessage): LinkRequest {
  const forwarded = headers['x-forwarded-for']
  return {
    method,
    ...(url.startsWith('/') ? { url, host: headers.host } : wholeUrl(url, headers.host)),
    userAgent: headers['user-agent'],
    referrer: headers.referer,
    language: headers['accept-language'],
    purpose: one(headers['sec-purpose'] ?? headers.purpose),
    forwardedFor: one(forwarded),
    remoteAddress: socket.remoteAddress,
  }
}

/** Proxies may put a whole URL into the request line (RFC 9112, 3.2.2): then its host is meant, whatever Host says. */
function wholeUrl(url: string, hostHeader: string | undefined): Pick<LinkRequest, 'url' | 'host'> {
  const [, host, rest = ''] = /^https?:\/\/(?:[^/?#]*@)?([^/?#]+)(.*)$/i.exec(url) ?? []
  if (host === undefined) return { url, host: hostHeader }
  return { url: rest.startsWith('/') ? rest : `/${rest}`, host }
}

export function sendBy(request: IncomingMessage, response: ServerResponse): Send {
  return (status, headers, body) => {
    // A body that nobody read would be taken for the next request.
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
    if (length !== undefined || encoding !== undefined) response.shouldKeepAlive = false
    response.writeHead(status, headers as string[])
    response.end(request.method === 'HEAD' ? undefined : body)
  }
}

/** node:http joins what was sent twice, except for headers that may not be joined, and these are not of that kind. */
function one(value: string | string[] | undefined): string | undefined {
  return value === undefined ? undefined : String(value)
}
