/** Checks of new links that need the same answers for many rows: monthly limits, and the DNS of domains. */
import { requireDns } from '../domains/dns-check.js'
import type { Domain } from '../domains/domains.js'
import { refusalOfMore } from '../limits/plan.js'
import { usedThisMonth } from '../limits/plans.js'
import type { CheckedLink, CreateDeps } from '../links/create.js'
import { spentBy } from '../links/new-link-allowance.js'
import { featureNames } from '../usage/features.js'
import type { Counter } from '../usage/usage-store.js'

export class SharedChecks {
  readonly #deps: CreateDeps
  readonly #used = new Map<string, Promise<ReadonlyMap<Counter, number>>>()
  readonly #dns = new Map<string, Promise<string | undefined>>()

  constructor(deps: CreateDeps) {
    this.#deps = deps
  }

  /**
   * Refuses a link if the limit was reached before this request, so that limits are reported before DNS problems and
   * conflicts. The store refuses those beyond the limit when it writes.
   */
  async requireRoom({ draft, details }: CheckedLink): Promise<void> {
    const { organizationGuid, groupGuid, domain, longUrl, branded = false, forceNew, at } = draft
    const limits = this.#deps.plans.limitsOf(organizationGuid)
    if (!limits) return
    const counters = spentBy(branded, details?.keyword)
    const refusal = refusalOfMore(limits, counters, await this.#usedBy(organizationGuid, at), at)
    if (!refusal) return
    // An existing link spends nothing.
    if (!forceNew && (await this.#deps.links.findByLongUrl(groupGuid, domain, longUrl))) return
    throw refusal
  }

  /** Returns what is wrong with a domain that may be used all the same. */
  async requireDns(domain: Domain): Promise<string | undefined> {
    if (!domain.branded) return undefined
    const known = this.#dns.get(domain.key)
    if (known) return known
    const check = requireDns(this.#deps, domain)
    this.#dns.set(domain.key, check)
    return check
  }

  #usedBy(organizationGuid: string, at: number): Promise<ReadonlyMap<Counter, number>> {
    const known = this.#used.get(organizationGuid)
    if (known) return known
    const used = usedThisMonth(this.#deps, organizationGuid, featureNames, at)
    this.#used.set(organizationGuid, used)
    return used
  }
}
