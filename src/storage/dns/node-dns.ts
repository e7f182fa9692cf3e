/** The domain name system by node:dns. It only asks and reports; what records mean is core's. */
import { Resolver } from 'node:dns/promises'
import type { DnsFinding, DnsLookup, DnsRecord } from '../../core/domains/dns-check.js'

export interface NodeDnsOptions {
  /** Resolvers to ask, as `address` or `address:port`; the system's when empty. */
  readonly servers: readonly string[]
  /** Milliseconds for one look-up in all, and for one packet. */
  readonly patience?: { readonly inAll: number; readonly packet: number }
}

// Our choice: a caller waits for this, so a resolver that is silent is given up after one repetition.
const defaultPatience = { inAll: 4000, packet: 1500 }

export function nodeDns({ servers, patience = defaultPatience }: NodeDnsOptions): DnsLookup {
  return {
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

    // A text longer than 255 characters comes in pieces.
    texts: (name) =>
      patiently(async (resolver) => {
        const texts = async () => (await resolver.resolveTxt(name)).map((pieces) => pieces.join(''))
        const { records } = await ask('TXT', texts, (text) => text)
        return records.map(({ value }) => value)
      }),
  }

  async function patiently<T>(question: (resolver: Resolver) => Promise<T>): Promise<T> {
    // One for each look-up: giving up cancels everything a resolver is asking.
    const resolver = new Resolver({ timeout: patience.packet, tries: 2 })
    if (servers.length > 0) resolver.setServers(servers)
    const giveUp = setTimeout(() => resolver.cancel(), patience.inAll)
    try {
      return await question(resolver)
    } finally {
      clearTimeout(giveUp)
    }
  }
}

async function ask(
  type: DnsRecord['type'],
  question: () => Promise<string[]>,
  spelling: (value: string) => string = spelled,
): Promise<DnsFinding> {
  try {
    const values = await question()
    return { records: values.map((value) => ({ type, value: spelling(value) })), failure: undefined }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (absent.has(code)) return { records: [], failure: undefined }
    // Without a code it is no answer of a resolver but a mistake of ours.
    if (code === '') throw error
    return { records: [], failure: failures[code] ?? `the resolver failed with ${code}` }
  }
}

/** The name does not exist, or has no record of this type. */
const absent: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA'])

const failures: Readonly<Record<string, string>> = {
  EBADRESP: 'the resolver answered nonsense',
  ECANCELLED: 'the resolver did not answer in time',
  ECONNREFUSED: 'the resolver cannot be reached',
  EFORMERR: 'the resolver did not understand the question',
  ENOTIMP: 'the resolver does not answer this kind of question',
  EREFUSED: 'the resolver refused to answer',
  ESERVFAIL: 'the resolver failed to find out',
  ETIMEOUT: 'the resolver did not answer in time',
}

function spelled(value: string): string {
  return value.toLowerCase().replace(/\.$/, '')
}
