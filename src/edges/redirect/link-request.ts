/**
 * A request for a short link and its response. The redirect handler knows only this part of HTTP, so it works behind
 * the fast path and behind node:http.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'

export interface LinkRequest {
  readonly method: string
  /** Path and query as sent. */
  readonly url: string
  readonly host: string | undefined
  readonly userAgent: string | undefined
  readonly referrer: string | undefined
  readonly language: string | undefined
  /** Set by browsers that prefetch the page. */
  readonly purpose: string | undefined
  readonly forwardedFor: string | undefined
  readonly ifNoneMatch: string | undefined
  readonly acceptEncoding: string | undefined
  /** IP of the peer. */
  readonly remoteAddress: string | undefined
}

/** Call once. Headers are alternating names and values; the response to HEAD is sent without the body. */
export interface Send {
  (status: number, headers: readonly string[], body?: Buffer): void
  /** Instead of an answer: another process answers, which has what this one lacks. */
  readonly elsewhere?: () => void
}

export function linkRequestOf({ method = '', url = '', headers, socket }: IncomingMessage): LinkRequest {
  const forwarded = headers['x-forwarded-for']
  return {
    method,
    ...(url.startsWith('/') ? { url, host: headers.host } : absoluteUrl(url, headers.host)),
    userAgent: headers['user-agent'],
    referrer: headers.referer,
    language: headers['accept-language'],
    purpose: one(headers['sec-purpose'] ?? headers.purpose),
    forwardedFor: one(forwarded),
    ifNoneMatch: headers['if-none-match'],
    acceptEncoding: one(headers['accept-encoding']),
    remoteAddress: socket.remoteAddress,
  }
}

/** Proxies may send an absolute URL in the request line (RFC 9112, 3.2.2): its host then overrides the Host header. */
function absoluteUrl(url: string, hostHeader: string | undefined): Pick<LinkRequest, 'url' | 'host'> {
  const [, host, rest = ''] = /^https?:\/\/(?:[^/?#]*@)?([^/?#]+)(.*)$/i.exec(url) ?? []
  if (host === undefined) return { url, host: hostHeader }
  return { url: rest.startsWith('/') ? rest : `/${rest}`, host }
}

export function sendBy(request: IncomingMessage, response: ServerResponse): Send {
  return (status, headers, body) => {
    // An unread body would be parsed as the next request.
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
    if (length !== undefined || encoding !== undefined) response.shouldKeepAlive = false
    response.writeHead(status, headers as string[])
    response.end(request.method === 'HEAD' ? undefined : body)
  }
}

/** node:http joins repeated headers except for some, and these are not among them. */
function one(value: string | string[] | undefined): string | undefined {
  return value === undefined ? undefined : String(value)
}
