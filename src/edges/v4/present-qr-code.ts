/** QR codes in v4's spelling. */

import type { Static } from 'typebox'
import { type ContentDeps, contentOf } from '../../core/qr-codes/content.js'
import type { QrCode } from '../../core/qr-codes/qr-code.js'
import { plainDesign } from '../../core/qr-design/design.js'
import { timestamp } from '../../core/values/time.js'
import { etagOf } from '../http/etag.js'
import { presentRule } from './present.js'
import { publicImageUrl } from './qr-public-images.js'
import type { QrCodeDetails, QrCodeRecord } from './schemas/qr-code.js'
import { presentDesign } from './schemas/qr-design.js'

export function presentQrCode(code: QrCode, deps: ContentDeps): QrCodeRecord {
  return {
    ...presentShared(code, deps),
    created_by: code.createdBy,
    is_customized: code.design !== undefined,
    is_gs1: code.gs1 !== undefined,
  }
}

export function presentQrCodeDetails(code: QrCode, deps: ContentDeps): Static<typeof QrCodeDetails> {
  return {
    ...presentShared(code, deps),
    ...(code.gs1 && { gs1: { values: [...code.gs1.values] } }),
    render_customizations: presentDesign(code.design ?? plainDesign),
  }
}

/** Of the code as GET shows it; changes answer without its design. */
export function qrCodeEtag(code: QrCode, deps: ContentDeps): string {
  return etagOf(presentQrCodeDetails(code, deps))
}

function presentShared(code: QrCode, deps: ContentDeps) {
  const modified = timestamp(code.modifiedAt)
  return {
    qrcode_id: code.id,
    group_guid: code.groupGuid,
    ...(code.title !== undefined && { title: code.title }),
    serialized_content: contentOf(deps, code),
    qr_code_type: code.siteGuid !== undefined ? 'site' : code.standAlone ? 'long_url' : 'shortlink',
    ...(code.siteGuid !== undefined && { site_id: code.siteGuid }),
    shortlink_id: deps.domains.shown(code.address),
    image_url: publicImageUrl(deps.config.baseUrl, code.imageId),
    archived: code.archived,
    created: timestamp(code.createdAt),
    modified,
    // Clients of the public service read one or the other.
    updated: modified,
    ...(code.expiresAt !== undefined && { expiration_at: timestamp(code.expiresAt) }),
    long_urls: [...new Set([code.longUrl, ...code.routing.map((rule) => rule.longUrl)])],
    tags: [...code.tags],
    ...(code.routing.length > 0 && { dynamic_routing: code.routing.map(presentRule) }),
  }
}
