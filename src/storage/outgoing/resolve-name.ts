/**
 * Resolves names for outgoing requests. `dns.lookup` waits in libuv's thread pool, where two lookups run at a time: two
 * names with a silent name server would delay all other names by many seconds. This asks the DNS servers by sockets
 * instead. The hosts file comes first, and the system resolves what is not in the public DNS. Must not know which IPs
 * are permitted.
 */
import { type LookupAddress, lookup as systemLookup } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { parse } from 'tldts'

/** In the form of `dns.lookup`. */
export type ResolveName = (
  hostname: string,
  options: { readonly all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

export interface ResolveNameOptions {
  /** Resolvers as `ip` or `ip:port`; those of the system by default. */
  readonly servers?: readonly string[]
  readonly hostsFile?: string
}

/** Milliseconds until a question is repeated, which takes twice as long: well within the limit of a request. */
const timeout = 1_500
const tries = 2

export function nameResolver({ servers = [], hostsFile = '/etc/hosts' }: ResolveNameOptions = {}): ResolveName {
  return (hostname, _options, callback) => {
    resolve(hostname.toLowerCase().replace(/\.$/, '')).then(
      (addresses) => callback(null, addresses),
      (error: NodeJS.ErrnoException) => callback(error, []),
    )
  }

  async function resolve(name: string): Promise<LookupAddress[]> {
    const listed = await addressesIn(hostsFile, name)
    if (listed.length > 0) return listed
    // Search domains of a cluster, multicast DNS, `localhost`: nobody outside can make those silent.
    if (parse(name).isIcann !== true) return askSystem(name)
    return askDns(name)
  }

  async function askDns(name: string): Promise<LookupAddress[]> {
    // A new one each time: it reads the configuration of the system, which may have changed.
    const resolver = new Resolver({ timeout, tries })
    if (servers.length > 0) resolver.setServers(servers)
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : [])).map(withFamily)
    const failed = answers.find((answer) => answer.status === 'rejected')
    if (found.length === 0 && failed) throw failed.reason
    return found
  }
}

function askSystem(name: string): Promise<LookupAddress[]> {
  return new Promise((resolve, reject) => {
    systemLookup(name, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)))
  })
}

/** Of all lines with the name. A file that cannot be read has none. */
async function addressesIn(file: string, name: string): Promise<LookupAddress[]> {
  const text = await readFile(file, 'utf8').catch(() => '')
  return text.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/)
    return isIP(address) !== 0 && names.some((each) => each.toLowerCase() === name) ? [withFamily(address)] : []
  })
}

function withFamily(address: string): LookupAddress {
  return { address, family: isIP(address) }
}
