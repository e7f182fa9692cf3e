/**
 * Changing a QR code (docs/api/qr-codes.md#change). Clients send whole resources back, so what is sent as it already is
 * counts as not sent.
 */
import { type Actor, requireWriter } from '../accounts/actor.js'
import type { Domains } from '../domains/domains.js'
import { type AllowanceDeps, requireAllowance } from '../limits/plans.js'
import type { LinkChange } from '../links/link.js'
import { readTitle } from '../links/link-fields.js'
import { requireExtras } from '../links/new-link-allowance.js'
import type { RedirectCache } from '../links/redirect-cache.js'
import type { RoutingRule } from '../links/routing-rule.js'
import { readTags, tooManyTagsPerGroup } from '../links/tags.js'
import { changedExpiry, changedLongUrl, changedRouting } from '../links/update.js'
import type { QrDesign } from '../qr-design/design.js'
import { Refusal } from '../values/refusal.js'
import type { Clock } from '../values/time.js'
import { ofTheLink } from './create.js'
import { type DesignDeps, noSuchImage, readDesignOf } from './designs.js'
import type { PublicQrImages } from './public-images.js'
import type { QrCode, QrCodeChange } from './qr-code.js'
import type { QrCodeStore } from './qr-code-store.js'
import { gone } from './read.js'

export interface UpdateQrCodeDeps extends AllowanceDeps, DesignDeps {
  readonly qrCodes: Pick<QrCodeStore, 'update'>
  readonly domains: Domains
  readonly redirectCache: Pick<RedirectCache, 'forget'>
  readonly publicQrImages: Pick<PublicQrImages, 'forget'>
  readonly clock: Clock
}

export interface UpdateQrCodeInput {
  readonly title?: string | undefined
  readonly archived?: boolean | undefined
  readonly tags?: readonly string[] | undefined
  /** Replaces the whole design. */
  readonly design?: QrDesign | undefined
  /** Empty takes it away. */
  readonly expirationAt?: string | undefined
  readonly dynamicRouting?: readonly RoutingRule[] | undefined
}

/** Changes a code that was read for the actor (`writableQrCode`). */
export async function updateQrCode(
  deps: UpdateQrCodeDeps,
  actor: Actor,
  code: QrCode,
  input: UpdateQrCodeInput,
): Promise<QrCode> {
  const { organizationGuid } = requireWriter(actor, code.groupGuid)
  const link = changedLink(deps, code, input)
  const change: QrCodeChange = {
    ...(input.title !== undefined && { title: readTitle(input.title) ?? null }),
    ...(input.archived !== undefined && { archived: input.archived }),
    ...(input.tags !== undefined && { tags: readTags(input.tags) }),
    ...(input.design && { design: (await readDesignOf(deps, organizationGuid, input.design, code)) ?? null }),
    ...(Object.keys(link).length > 0 && { link }),
  }
  if (Object.keys(change).length === 0) return code
  requireExtras(deps, organizationGuid, {
    expires: typeof link.expiresAt === 'number',
    rules: link.routing?.length ?? 0,
    deeplinks: 0,
    customLink: false,
  })
  return write(deps, actor, code, change)
}

/** Of a stand-alone code only: the link of others is changed by those who see it as a link. */
function changedLink(deps: UpdateQrCodeDeps, code: QrCode, input: UpdateQrCodeInput): LinkChange {
  const { expirationAt, dynamicRouting } = input
  // Taking away what is not there is no change.
  const expiry = expirationAt === '' && code.expiresAt === undefined ? undefined : expirationAt
  const change = {
    ...changedExpiry(code, expiry, deps.clock.now()),
    ...changedRouting(deps, code, dynamicRouting),
  }
  if (code.standAlone) return change
  if ('expiresAt' in change) throw ofTheLink('expirationAt')
  if ('routing' in change) throw ofTheLink('dynamicRouting')
  return {}
}

/** Leads a stand-alone code elsewhere, which spends an encode (docs/api/qr-codes.md#redirect). */
export async function redirectQrCode(
  deps: UpdateQrCodeDeps,
  actor: Actor,
  code: QrCode,
  longUrl: string,
): Promise<QrCode> {
  const { organizationGuid } = requireWriter(actor, code.groupGuid)
  if (!code.standAlone) throw notStandAlone()
  const link = changedLongUrl(deps, code, longUrl)
  await requireAllowance(deps, organizationGuid, ['redirects'])
  return write(deps, actor, code, { link })
}

async function write(deps: UpdateQrCodeDeps, actor: Actor, code: QrCode, change: QrCodeChange): Promise<QrCode> {
  const updated = await deps.qrCodes.update(code.id, change, { login: actor.login, at: deps.clock.now() })
  switch (updated.outcome) {
    case 'done':
      if (change.link) deps.redirectCache.forget(updated.code.address)
      if (change.design !== undefined) deps.publicQrImages.forget(updated.code.imageId)
      return updated.code
    case 'missing':
      throw gone()
    case 'too-many-tags':
      throw tooManyTagsPerGroup()
    case 'no-image':
      throw noSuchImage()
    case 'coupled':
      throw notStandAlone()
  }
}

function notStandAlone(): Refusal {
  const message = 'This code leads through a short link. Change the destination of the short link instead.'
  return new Refusal('BAD_REQUEST', message, { resource: 'qr_codes' })
}
