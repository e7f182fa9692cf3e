/** Makes the address of a stand-alone QR code a short link like others (docs/api/qr-codes.md#couple). */
import { type Actor, requireWriter } from '../accounts/actor.js'
import { requireAlso } from '../accounts/scopes.js'
import type { Domains } from '../domains/domains.js'
import { type AllowanceDeps, requireAllowance } from '../limits/plans.js'
import type { Link } from '../links/link.js'
import type { RedirectCache } from '../links/redirect-cache.js'
import type { Titles } from '../titles/titles.js'
import { Refusal } from '../values/refusal.js'
import type { Clock } from '../values/time.js'
import type { QrCode } from './qr-code.js'
import type { QrCodeStore } from './qr-code-store.js'
import { notFound } from './read.js'

export interface CoupleDeps extends AllowanceDeps {
  readonly qrCodes: Pick<QrCodeStore, 'couple'>
  readonly domains: Domains
  readonly redirectCache: Pick<RedirectCache, 'forget'>
  readonly titles: Pick<Titles, 'enqueue'>
  readonly clock: Clock
}

/** Costs what a new link costs, once; a code that is coupled answers its link. */
export async function coupleQrCode(deps: CoupleDeps, actor: Actor, code: QrCode): Promise<Link> {
  const { organizationGuid } = requireWriter(actor, code.groupGuid)
  if (code.siteGuid !== undefined) {
    const message = 'This code leads to a site, whose address cannot become a short link.'
    throw new Refusal('BAD_REQUEST', message, { resource: 'qr_codes' })
  }
  requireAlso(actor, code.standAlone ? 'links:create' : 'links:read')
  const domain = code.address.slice(0, code.address.indexOf('/'))
  const branded = deps.domains.named(deps.domains.nameOf(domain))?.branded ?? true
  if (code.standAlone) {
    await requireAllowance(deps, organizationGuid, ['links', ...(branded ? (['branded_links'] as const) : [])])
  }
  const context = { login: actor.login, at: deps.clock.now() }
  const coupled = await deps.qrCodes.couple(code.id, { ...context, organizationGuid, branded })
  if (coupled.outcome === 'missing') throw notFound()
  const { link, coupledNow } = coupled
  if (coupledNow) {
    deps.redirectCache.forget(link.id)
    deps.titles.enqueue(link)
  }
  return link
}
