/**
 * Fetches the title of a page, protected against SSRF: anybody can make us fetch any URL, so the IP is checked after
 * name resolution, the connection goes to the checked IP, and every redirect starts over. Size, time and redirects are
 * limited. It knows nothing about links.
 */
import { lookup as systemLookup } from 'node:dns'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { BlockList, isIP, isIPv4, isIPv6, type LookupFunction } from 'node:net'
import { maxTagLength, readTitle, titleIsComplete } from '../../core/titles/read-title.js'
import type { FetchedTitle, Pages } from '../../core/titles/titles.js'

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

/**
 * SSRF protection: pages may be fetched only from public IPs on the usual web ports. Everything that leads into our
 * network or to another service of this machine is refused, and so is any range not known to be public.
 * Called for every IP a name resolves to, at the first request and at each redirect.
 */
export type AddressGuard = (address: string, port: number) => boolean

export const publicWeb: AddressGuard = (address, port) => (port === 80 || port === 443) && isPublic(address)

export function isPublic(address: string): boolean {
  if (isIPv4(address)) return !reservedIpv4.check(address, 'ipv4')
  // A zone (`fe80::1%eth0`) only makes sense on a local network.
  if (!isIPv6(address) || address.includes('%')) return false
  return unicastIpv6.check(address, 'ipv6') && !reservedIpv6.check(address, 'ipv6')
}

/** RFC 6890 and its updates (IANA special-purpose registry). */
const reservedIpv4 = subnets('ipv4', [
  ['0.0.0.0', 8], // this network
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // shared by carriers
  ['127.0.0.0', 8], // loopback
  ['169.254.0.0', 16], // link-local, where clouds serve credentials
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // 6to4 relays
  ['192.168.0.0', 16], // private
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, and broadcast
])

/**
 * All public unicast IPv6. Outside of it are loopback, unique local, link-local, multicast and embedded IPv4: mapped
 * (::ffff:0:0/96) and NAT64 (64:ff9b::/96, 64:ff9b:1::/48).
 */
const unicastIpv6 = subnets('ipv6', [['2000::', 3]])

const reservedIpv6 = subnets('ipv6', [
  ['2001::', 23], // protocol assignments, with Teredo
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4: carries any IPv4 address
  ['3fff::', 20], // documentation
])

function subnets(family: 'ipv4' | 'ipv6', list: readonly (readonly [string, number])[]): BlockList {
  const blocks = new BlockList()
  for (const [network, prefix] of list) blocks.addSubnet(network, prefix, family)
  return blocks
}
