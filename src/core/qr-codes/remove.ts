import { type Actor, requireWriter } from '../accounts/actor.js'
import { type AuditDeps, addAuditEntry } from '../accounts/audit.js'
import { requireAlso } from '../accounts/scopes.js'
import type { RedirectCache } from '../links/redirect-cache.js'
import { Refusal } from '../values/refusal.js'
import type { PublicQrImages } from './public-images.js'
import { isCoupled, type QrCode } from './qr-code.js'
import type { QrCodeStore } from './qr-code-store.js'
import { gone } from './read.js'

export interface RemoveQrCodeDeps extends AuditDeps {
  readonly qrCodes: Pick<QrCodeStore, 'remove'>
  readonly redirectCache: Pick<RedirectCache, 'forget'>
  readonly publicQrImages: Pick<PublicQrImages, 'forget'>
}

/** Deletes a code, with its link unless other codes need it (docs/api/qr-codes.md#delete); answers the ids of links. */
export async function removeQrCode(deps: RemoveQrCodeDeps, actor: Actor, code: QrCode): Promise<readonly string[]> {
  const { organizationGuid } = requireWriter(actor, code.groupGuid)
  // Its short link goes too.
  if (isCoupled(code)) requireAlso(actor, 'links:write')
  const removed = await deps.qrCodes.remove(code.id, deps.clock.now())
  if (removed.outcome === 'missing') throw gone()
  if (removed.outcome === 'edited') {
    const message =
      'Only a QR code whose link was never redirected and never had a custom back-half can be deleted. Archive it instead.'
    throw new Refusal('BAD_REQUEST', message, { resource: 'qr_codes' })
  }
  for (const linkId of removed.linkIds) deps.redirectCache.forget(linkId)
  deps.publicQrImages.forget(code.imageId)
  await addAuditEntry(deps, { action: 'qr_code_deleted', login: actor.login, organizationGuid, subject: code.id })
  return removed.linkIds
}
