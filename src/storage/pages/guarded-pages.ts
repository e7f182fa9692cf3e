/**
 * Fetches the title of a page, protected against SSRF: anybody can make us fetch any URL, so the IP is checked after
 * name resolution, the connection goes to the checked IP, and every redirect starts over. Size, time and redirects are
 * limited. It knows nothing about links.
 */
import { lookup as systemLookup } from 'node:dns'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { maxTagLength, readTitle, titleIsComplete } from '../../core/titles/read-title.js'
import type { FetchedTitle, Pages } from '../../core/titles/titles.js'
import { type AddressGuard, publicWeb } from './address-guard.js'

export interface PageOptions {
  readonly guard?: AddressGuard
  /** Name resolution; that of the system by default. */
  readonly lookup?: typeof systemLookup
  readonly limits?: Partial<PageLimits>
  /** URL in the User-Agent where site owners can read about the bot. */
  readonly home: string
}

export interface PageLimits {
  readonly redirects: number
  readonly bytes: number
  /** Total time, redirects included. */
  readonly milliseconds: number
}

const usualLimits: PageLimits = { redirects: 5, bytes: 512 * 1024, milliseconds: 5_000 }

export function guardedPages(options: PageOptions): Pages {
  const guard = options.guard ?? publicWeb
  const limits = { ...usualLimits, ...options.limits }
  const headers = {
    accept: 'text/html',
    'accept-encoding': 'identity',
    'user-agent': `Mozilla/5.0 (compatible; shortlink title bot; +${options.home})`,
  }

  async function title(url: string, stopped: AbortSignal): Promise<FetchedTitle> {
    const signal = AbortSignal.any([stopped, AbortSignal.timeout(limits.milliseconds)])
    try {
      let next: string | FetchedTitle = url
      for (let requests = 0; typeof next === 'string'; requests++) {
        if (requests > limits.redirects) return { none: 'unsuitable' }
        next = await ask(next, signal)
      }
      return next
    } catch (error) {
      if (stopped.aborted) throw error
      if (error instanceof Forbidden) return { none: 'refused' }
      // Network errors all have a code; anything else is a bug.
      if (signal.aborted || isNetworkFailure(error)) return { none: 'failed' }
      throw error
    }
  }

  /** Returns the redirect target as a string, or the result. */
  async function ask(text: string, signal: AbortSignal): Promise<string | FetchedTitle> {
    const url = allowedUrl(text)
    const request = url.protocol === 'https:' ? httpsRequest : httpRequest
    // No agent: a pooled connection could be reused without a check.
    const outgoing = request(url, { agent: false, headers, signal, lookup: checkedLookup(portOf(url)) })
    try {
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        outgoing.on('response', resolve)
        outgoing.on('error', reject)
        // Without a listener node closes the connection silently, and the promise would never settle.
        outgoing.on('upgrade', (response, connection) => {
          connection.destroy()
          resolve(response)
        })
        outgoing.end()
      })
      const { location, 'content-type': type = '', 'content-encoding': encoding = 'identity' } = response.headers
      if (redirects.has(response.statusCode ?? 0) && location !== undefined) return absolute(location, url)
      const readable = response.statusCode === 200 && /^text\/html\s*(?:;|$)/i.test(type) && encoding === 'identity'
      const found = readable ? readTitle(await beginningOf(response), type) : undefined
      return found === undefined ? { none: 'unsuitable' } : { title: found }
    } finally {
      outgoing.destroy()
    }
  }

  function allowedUrl(text: string): URL {
    const url = URL.canParse(text) ? new URL(text) : undefined
    if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') throw new Forbidden(text)
    // A literal IP is connected to without a lookup.
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
    if (isIP(host) !== 0 && !guard(host, portOf(url))) throw new Forbidden(host)
    return url
  }

  function checkedLookup(port: number): LookupFunction {
    return (hostname, { all }, callback) => {
      const resolveName = options.lookup ?? systemLookup
      resolveName(hostname, { all: true }, (error, addresses) => {
        const [first] = addresses ?? []
        if (error || first === undefined) return callback(error ?? new Forbidden(hostname), [])
        // One forbidden IP refuses the name: a name with public and private IPs is an attack.
        if (!addresses.every(({ address }) => guard(address, port))) return callback(new Forbidden(hostname), [])
        return all ? callback(null, addresses) : callback(null, first.address, first.family)
      })
    }
  }

  async function beginningOf(response: IncomingMessage): Promise<Buffer> {
    const chunks: Buffer[] = []
    let size = 0
    // Searches only new bytes and the boundary to the previous ones: a page may arrive byte by byte.
    let end = Buffer.alloc(0)
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      size += chunk.length
      const fresh = Buffer.concat([end, chunk])
      if (size >= limits.bytes || titleIsComplete(fresh)) break
      end = fresh.subarray(-maxTagLength)
    }
    return Buffer.concat(chunks).subarray(0, limits.bytes)
  }

  return { title }
}

class Forbidden extends Error {
  override readonly name = 'Forbidden'
}

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

function portOf(url: URL): number {
  return Number(url.port) || (url.protocol === 'https:' ? 443 : 80)
}

function absolute(location: string, base: URL): string | FetchedTitle {
  return URL.canParse(location, base.href) ? new URL(location, base).href : { none: 'unsuitable' }
}

function isNetworkFailure(error: unknown): boolean {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).code === 'string'
}
