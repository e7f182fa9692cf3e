/** DNS and certificates of the host of the API and of every short domain. */
import type { Config } from '../../config/config.js'
import { type Finding, ok, warning, wrong } from '../../core/administration/finding.js'
import type { CertificateState } from '../../core/domains/certificate-check.js'
import type { DnsLookup, DnsState } from '../../core/domains/dns-check.js'
import type { BrandedDomain } from '../../core/domains/domain-store.js'
import { isPublicName } from '../../core/values/domain-name.js'
import { chunks } from '../../lib/chunks.js'

export interface DomainsToExamine {
  readonly config: Pick<Config, 'baseUrl' | 'domains'>
  readonly dnsLookup: Pick<DnsLookup, 'lookup'>
  readonly dns: { readonly isOn: boolean; verify(name: string): Promise<DnsState> }
  readonly certificates: { verify(name: string): Promise<CertificateState> }
  readonly domainStore: { list(organizationGuid: undefined): Promise<readonly BrandedDomain[]> }
}

export async function examineDomains(deps: DomainsToExamine): Promise<Finding[]> {
  const { baseUrl, domains } = deps.config
  const { host, protocol } = new URL(baseUrl)
  const branded = (await deps.domainStore.list(undefined)).filter(({ isProven }) => isProven).map(({ name }) => name)
  const own = [...new Set([host, ...domains])].filter((domain) => isPublicName(domain.replace(/:\d+$/, '')))
  const brandedNames = new Set(branded)
  const names = [...own, ...branded.filter((name) => !own.includes(name))]
  if (names.length === 0) return [ok('DNS', `${host} needs no DNS: it is a name of this machine or an IP address.`)]

  const findings: Finding[] = []
  // Some at a time: a resolver limits how much one client may ask.
  for (const some of chunks(names, 20)) {
    const found = await Promise.all(some.map((name) => nameFindings(deps, name, brandedNames.has(name), protocol)))
    findings.push(...found.flat())
  }
  return [...inOneLine('DNS', findings), ...inOneLine('certificates', findings)]
}

async function nameFindings(
  deps: DomainsToExamine,
  name: string,
  branded: boolean,
  protocol: string,
): Promise<Finding[]> {
  const dns = branded ? await ofBranded(deps, name) : await lookedUp(deps.dnsLookup, name)
  // Without HTTPS there is no certificate, and without an address none can be read. A port other than 443 is a test.
  if (protocol !== 'https:' || dns.state !== 'ok' || name.includes(':')) return [dns]
  return [dns, fromCertificate(name, await deps.certificates.verify(name))]
}

/** The service works without it, and its owner sets the records: never more than a warning. */
async function ofBranded(deps: DomainsToExamine, name: string): Promise<Finding> {
  const remedy = `Its owner sets the records that "shortlink domain verify ${name}" names. Until then nobody reaches its links.`
  if (!deps.dns.isOn) {
    const found = await lookedUp(deps.dnsLookup, name)
    const known =
      'Which records to set is known once --base-url is the public URL of the service, or --dns-targets is set.'
    return found.state === 'wrong' ? warning('DNS', found.message, `${known} ${remedy}`) : found
  }
  const { match, explanation } = await deps.dns.verify(name)
  return match ? ok('DNS', explanation) : warning('DNS', explanation, remedy)
}

async function lookedUp(dnsLookup: DomainsToExamine['dnsLookup'], domain: string): Promise<Finding> {
  const name = domain.replace(/:\d+$/, '')
  const { records, failure } = await dnsLookup.lookup(name)
  if (records.length > 0) return ok('DNS', `${name} leads to ${records.map(({ value }) => value).join(', ')}.`)
  if (failure !== undefined)
    return warning('DNS', `${name} cannot be looked up: ${failure}.`, 'Check the resolver, or set --dns-servers.')
  return wrong(
    'DNS',
    `${name} has no address.`,
    'Add A and AAAA records that lead to this machine, or to the proxy in front of it.',
  )
}

function fromCertificate(name: string, { state, explanation }: CertificateState): Finding {
  const area = 'certificates'
  const message = `${name}: ${explanation}`
  if (state === 'valid') return ok(area, message)
  if (state === 'expiring')
    return warning(area, message, 'Look into the log of the proxy: it should have renewed it by now.')
  if (state === 'unknown' || state === 'checking') return warning(area, message, 'Open it in a browser from outside.')
  return wrong(
    area,
    message,
    'Check that the proxy runs, and that its port 443 can be reached from outside (deploy/README.md).',
  )
}

/** Every domain in order shares a line when there are many. */
function inOneLine(area: Finding['area'], all: readonly Finding[]): Finding[] {
  const findings = all.filter((finding) => finding.area === area)
  const good = findings.filter(({ state }) => state === 'ok')
  const bad = findings.filter(({ state }) => state !== 'ok')
  return good.length > 5 ? [...bad, ok(area, `${good.length} names are in order.`)] : [...bad, ...good]
}
