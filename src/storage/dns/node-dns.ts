/** DNS lookups with node:dns. It only queries and reports; core interprets the records. */
import { Resolver } from 'node:dns/promises'
import type { DnsFinding, DnsLookup, DnsRecord } from '../../core/domains/dns-check.js'
import { CircuitBreaker, type Remote } from '../../lib/circuit-breaker.js'

export interface NodeDnsOptions {
  /** Resolvers as `ip` or `ip:port`; those of the system when empty. */
  readonly servers: readonly string[]
  /** Timeouts in milliseconds for a whole lookup and for one packet. */
  readonly timeouts?: { readonly total: number; readonly packet: number }
}

// A caller waits for the result, so a silent resolver is given up after one retry.
const defaultTimeouts = { total: 4000, packet: 1500 }

export function nodeDns({ servers, timeouts = defaultTimeouts }: NodeDnsOptions): DnsLookup & Remote {
  const server = new CircuitBreaker()
  return {
    server,
    lookup: (name) =>
      patiently(async (resolver) => {
        const findings = await Promise.all([
          ask('CNAME', () => resolver.resolveCname(name)),
          ask('A', () => resolver.resolve4(name)),
          ask('AAAA', () => resolver.resolve6(name)),
        ])
        return {
          records: findings.flatMap((finding) => finding.records),
          failure: findings.find((finding) => finding.failure !== undefined)?.failure,
        }
      }),

    // TXT records longer than 255 characters arrive in parts.
    texts: (name) =>
      patiently(async (resolver) => {
        const texts = async () => (await resolver.resolveTxt(name)).map((pieces) => pieces.join(''))
        const { records } = await ask('TXT', texts, (text) => text)
        return records.map(({ value }) => value)
      }),
  }

  async function patiently<T>(question: (resolver: Resolver) => Promise<T>): Promise<T> {
    // One resolver per lookup: cancel() ends all of its queries.
    const resolver = new Resolver({ timeout: timeouts.packet, tries: 2 })
    if (servers.length > 0) resolver.setServers(servers)
    const giveUp = setTimeout(() => resolver.cancel(), timeouts.total)
    try {
      return await question(resolver)
    } finally {
      clearTimeout(giveUp)
    }
  }

  async function ask(
    type: DnsRecord['type'],
    question: () => Promise<string[]>,
    spelling: (value: string) => string = spelled,
  ): Promise<DnsFinding> {
    try {
      const values = await question()
      server.succeeded()
      return { records: values.map((value) => ({ type, value: spelling(value) })), failure: undefined }
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : ''
      // An error without a code is a bug, not a response of the resolver.
      if (code === '') throw error
      const failure = failures[code] ?? `the resolver failed with ${code}`
      if (silent.has(code)) server.failed(failure)
      else server.succeeded()
      return { records: [], failure: absent.has(code) ? undefined : failure }
    }
  }
}

/** The resolver itself did not answer. */
const silent: ReadonlySet<string> = new Set(['ECANCELLED', 'ECONNREFUSED', 'ETIMEOUT'])

/** The name does not exist, or has no record of this type. */
const absent: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA'])

const failures: Readonly<Record<string, string>> = {
  EBADRESP: 'the resolver sent an invalid response',
  ECANCELLED: 'the resolver did not answer in time',
  ECONNREFUSED: 'the resolver cannot be reached',
  EFORMERR: 'the resolver could not parse the query',
  ENOTIMP: 'the resolver does not support this type of query',
  EREFUSED: 'the resolver refused to answer',
  ESERVFAIL: 'the resolver reported a server failure',
  ETIMEOUT: 'the resolver did not answer in time',
}

function spelled(value: string): string {
  return value.toLowerCase().replace(/\.$/, '')
}
