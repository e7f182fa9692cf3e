/** Making a QR code: for a short link of the group, or for a long URL (docs/api/qr-codes.md#create). */
import type { Actor, WriterMembership } from '../accounts/actor.js'
import { type DnsCheck, requireDns } from '../domains/dns-check.js'
import { type Domains, domainFor } from '../domains/domains.js'
import { type AllowanceDeps, requireAllowance, requireFeature } from '../limits/plans.js'
import { readExpiry, readTitle } from '../links/link-fields.js'
import { requireExtras } from '../links/new-link-allowance.js'
import { type FindDeps, namedAddress, notFound as noSuchLink } from '../links/read.js'
import { type RoutingRule, readRouting } from '../links/routing-rule.js'
import { readTags, tooManyTagsPerGroup } from '../links/tags.js'
import { type Gs1Value, readGs1 } from '../qr-contents/gs1.js'
import type { QrDesign } from '../qr-design/design.js'
import type { SiteStore } from '../sites/site-store.js'
import { isGuid, newGuid } from '../values/guid.js'
import { normaliseLongUrl } from '../values/long-url.js'
import type { DrawHash } from '../values/random.js'
import { invalid } from '../values/refusal.js'
import type { Clock } from '../values/time.js'
import type { ContentDeps } from './content.js'
import { type DesignDeps, noSuchImage, readDesignOf } from './designs.js'
import type { QrCode, QrCodeDestination } from './qr-code.js'
import type { QrCodeStore } from './qr-code-store.js'

export interface CreateQrCodeDeps extends AllowanceDeps, FindDeps, ContentDeps, DesignDeps {
  readonly qrCodes: Pick<QrCodeStore, 'create'>
  readonly sites: Pick<SiteStore, 'get'>
  readonly domains: Domains
  readonly dns: DnsCheck
  readonly clock: Clock
  readonly newHash: DrawHash
}

export interface CreateQrCodeInput {
  /** Exactly one of them. */
  readonly destination: {
    readonly shortlinkId?: string | undefined
    readonly longUrl?: string | undefined
    readonly siteId?: string | undefined
  }
  readonly title?: string | undefined
  readonly archived?: boolean | undefined
  readonly tags?: readonly string[] | undefined
  readonly design?: QrDesign | undefined
  readonly gs1?: readonly Gs1Value[] | undefined

  // Of a long URL only: a short link has its own.

  readonly domain?: string | undefined
  readonly expirationAt?: string | undefined
  readonly dynamicRouting?: readonly RoutingRule[] | undefined
}

export interface NewQrCode {
  readonly code: QrCode
  /** The DNS of its domain was right not long ago, and is not any more: what is wrong, for people. */
  readonly dnsWarning: string | undefined
}

export async function createQrCode(
  deps: CreateQrCodeDeps,
  actor: Actor,
  group: WriterMembership,
  input: CreateQrCodeInput,
): Promise<NewQrCode> {
  const { groupGuid, organizationGuid } = group
  const at = deps.clock.now()
  const title = readTitle(input.title ?? '')
  const tags = readTags(input.tags ?? [])
  const place = await placeFor(deps, actor, group, input, at)
  const gs1 = readGs1(input.gs1 ?? [])
  const design = await readDesignOf(deps, organizationGuid, input.design, { address: place.address, gs1 })
  requireFeature(deps, organizationGuid, 'qr_codes', 'qr_codes')
  requireExtras(deps, organizationGuid, { ...place.extras, deeplinks: 0, customLink: false })
  await requireAllowance(deps, organizationGuid, ['qr_codes'])
  const dnsWarning = place.domain?.branded ? await requireDns(deps, place.domain) : undefined

  const draft = {
    id: newGuid('qr-code'),
    imageId: newGuid('qr-image'),
    groupGuid,
    organizationGuid,
    title,
    archived: input.archived ?? false,
    tags,
    design,
    gs1,
    createdBy: actor.login,
    at,
    destination: place.destination,
  }
  const created = await deps.qrCodes.create(draft, deps.newHash)
  switch (created.outcome) {
    case 'done':
      return { code: created.code, dnsWarning }
    case 'no-link':
      throw noSuchLink()
    case 'too-many-tags':
      throw tooManyTagsPerGroup()
    case 'no-image':
      throw noSuchImage()
  }
}

interface Place {
  readonly destination: QrCodeDestination
  /** As long as the one that the code will have. */
  readonly address: string
  readonly extras: { readonly expires: boolean; readonly rules: number }
  /** Of a link that is made for the code. */
  readonly domain?: ReturnType<typeof domainFor>
}

async function placeFor(
  deps: CreateQrCodeDeps,
  actor: Actor,
  group: WriterMembership,
  input: CreateQrCodeInput,
  at: number,
): Promise<Place> {
  const { shortlinkId, longUrl, siteId } = input.destination
  if ([shortlinkId, longUrl, siteId].filter((each) => each !== undefined).length !== 1) {
    throw invalid('destination', 'Send exactly one of long_url, shortlink_id and site_id.')
  }
  if (shortlinkId !== undefined) return throughLink(deps, actor, group, shortlinkId, input)
  if (longUrl !== undefined) return standAlone(deps, actor, group, longUrl, input, at)
  return toSite(deps, group, siteId ?? '', input)
}

async function throughLink(
  deps: CreateQrCodeDeps,
  actor: Actor,
  { groupGuid }: WriterMembership,
  shortlinkId: string,
  input: CreateQrCodeInput,
): Promise<Place> {
  const { link, address } = await namedAddress(deps, actor, shortlinkId, 'destination.shortlinkId')
  if (link.groupGuid !== groupGuid) throw invalid('groupGuid', 'The short link belongs to another of your groups.')
  if (input.domain !== undefined && deps.domains.keyOf(input.domain) !== link.domain) {
    throw invalid('domain', 'The code has the address of the short link. Leave the domain out.')
  }
  if (input.expirationAt) throw ofTheLink('expirationAt')
  if (input.dynamicRouting?.length) throw ofTheLink('dynamicRouting')
  return { destination: { address }, address, extras: { expires: false, rules: 0 } }
}

/** By the hash of its hidden link: that leads to the site wherever it is moved. */
async function toSite(
  deps: CreateQrCodeDeps,
  { groupGuid }: WriterMembership,
  siteId: string,
  input: CreateQrCodeInput,
): Promise<Place> {
  const site = isGuid(siteId) ? await deps.sites.get(siteId) : undefined
  if (site?.groupGuid !== groupGuid) throw invalid('destination.siteId', 'The group has no such site.')
  if (input.domain !== undefined) throw invalid('domain', 'The code has an address of the site. Leave the domain out.')
  if (input.expirationAt) throw invalid('expirationAt', 'Sites do not expire. Schedule their blocks instead.')
  if (input.dynamicRouting?.length) throw invalid('dynamicRouting', 'Sites have no routing rules.')
  const address = site.linkId
  return { destination: { address }, address, extras: { expires: false, rules: 0 } }
}

/** What a code shares with its short link is changed there, by those who see the link. */
export function ofTheLink(field: 'expirationAt' | 'dynamicRouting') {
  return invalid(field, 'This code leads through a short link, which has this setting. Change the short link instead.')
}

function standAlone(
  deps: CreateQrCodeDeps,
  actor: Actor,
  { groupGuid, organizationGuid }: WriterMembership,
  text: string,
  input: CreateQrCodeInput,
  at: number,
): Place {
  const longUrl = normaliseLongUrl(text, deps.domains, 'destination.longUrl')
  const domain = domainFor(deps, groupGuid, input.domain)
  const expiresAt = readExpiry(input.expirationAt ?? '', at)
  const routing = readRouting(input.dynamicRouting ?? [], deps.domains)
  const link = {
    groupGuid,
    organizationGuid,
    domain: domain.key,
    branded: domain.branded,
    longUrl,
    createdBy: actor.login,
    clientId: actor.clientId,
    at,
    private: actor.defaultLinkPrivacy === 'private',
  }
  const details = { title: undefined, tags: [], expiresAt, deeplinks: [], routing, keyword: undefined }
  return {
    destination: { link, details },
    address: `${domain.key}/0000000`,
    extras: { expires: expiresAt !== undefined, rules: routing.length },
    domain,
  }
}
