/** Opens the short domains: their names, and the checks of their DNS and certificates. A part of the composition root. */
import type { Logger } from 'pino'
import type { Config } from '../../config/config.js'
import { CertificateCheck, type CertificateLookup } from '../../core/domains/certificate-check.js'
import { DnsCheck } from '../../core/domains/dns-check.js'
import { Domains, type DomainsDeps } from '../../core/domains/domains.js'
import { explainConflict, reconcileBuiltIn } from '../../core/domains/reconcile-built-in.js'
import { isPublicName } from '../../core/values/domain-name.js'
import type { Clock } from '../../core/values/time.js'
import type { Remote } from '../../lib/circuit-breaker.js'
import { OperatorError } from '../../lib/operator-error.js'
import { nodeDns } from '../../storage/dns/node-dns.js'
import { isPublic } from '../../storage/outgoing/address-guard.js'
import { tlsCertificates } from '../../storage/outgoing/tls-certificates.js'
import type { Records } from '../../storage/records/records.js'

export interface OpenedDomains {
  readonly domains: Domains
  readonly dns: DnsCheck
  readonly certificates: CertificateCheck
  readonly resolver: Remote
}

export type DomainConfig = Pick<
  Config,
  'domains' | 'domainAliases' | 'baseUrl' | 'dnsServers' | 'dnsTargets' | 'outgoingAllow'
>

export function openDomains(
  config: DomainConfig,
  deps: DomainsDeps & { readonly clock: Clock; readonly certificateLookup?: CertificateLookup },
): OpenedDomains {
  const {
    baseUrl,
    domains: builtIn,
    domainAliases: aliases,
    dnsServers: servers,
    dnsTargets,
    outgoingAllow: allow,
  } = config
  const dnsLookup = nodeDns({ servers })
  const certificateLookup = deps.certificateLookup ?? tlsCertificates({ dnsLookup, allow })
  return {
    domains: new Domains(deps, { builtIn, aliases, baseUrl }),
    dns: new DnsCheck({ dnsLookup, clock: deps.clock }, dnsTargets, publicHostOf(baseUrl)),
    resolver: dnsLookup,
    certificates: new CertificateCheck({ certificateLookup, clock: deps.clock, onFailure: deps.onFailure }),
  }
}

/** The host of the base URL, if others than this machine and its network can reach it. */
function publicHostOf(baseUrl: string): readonly string[] {
  const host = new URL(baseUrl).hostname.replace(/^\[|\]$/g, '')
  return isPublicName(host) || isPublic(host) ? [host] : []
}

/** Applies the configured names to the built-in domains; their links are kept. */
export async function nameBuiltInDomains({ domains }: Config, { domainStore }: Records, log: Logger): Promise<void> {
  const result = await reconcileBuiltIn(domainStore, domains)
  if (result.outcome !== 'reconciled') throw new OperatorError(explainConflict(result, domains))
  for (const change of result.renamed) {
    log.info(change, 'renamed a built-in domain; its links and metrics are kept, and the old name still works')
  }
  if (result.notConfigured.length > 0) {
    log.warn(
      { domains: result.notConfigured },
      'there are links on domains that are not configured; they are served under these names only. ' +
        'Add them to --domains, or rename them with "bin/shortlink domain rename OLD NEW"',
    )
  }
}
