import type { Migration } from 'kysely'
import { foundation } from './0001-foundation.js'
import { management } from './0002-management.js'
import { usage } from './0003-usage.js'
import { identity } from './0004-identity.js'
import { oauth } from './0005-oauth.js'
import { plans } from './0006-plans.js'
import { legacy } from './0007-legacy.js'
import { stream } from './0008-stream.js'
import { streamLinks } from './0009-stream-links.js'
import { builtInDomains } from './0010-built-in-domains.js'
import { clickLogHome } from './0011-click-log-home.js'
import { accounts } from './0012-accounts.js'
import { halfSessions } from './0013-half-sessions.js'
import { mobileApps } from './0014-mobile-apps.js'
import { pendingDomains } from './0015-pending-domains.js'
import { keywordCounts } from './0016-keyword-counts.js'
import { visitorSalts } from './0017-visitor-salts.js'
import { leases } from './0018-leases.js'
import { images } from './0019-images.js'
import { qrCodes } from './0020-qr-codes.js'
import { utmTemplates } from './0021-utm-templates.js'
import { sessionOrigins } from './0022-session-origins.js'
import { webhooks } from './0023-webhooks.js'
import { idempotencyKeys } from './0024-idempotency-keys.js'
import { heldTopics } from './0025-held-topics.js'
import { groupTimeZones } from './0026-group-time-zones.js'
import { bulkJobs } from './0027-bulk-jobs.js'
import { importedClicks } from './0028-imported-clicks.js'
import { qrImageIds } from './0030-qr-image-ids.js'
import { answerWords } from './0031-answer-words.js'
import { addressChanges } from './0032-address-changes.js'
import { emailChanges } from './0033-email-changes.js'
import { defaultLinkPrivacy } from './0034-default-link-privacy.js'
import { journals } from './0036-journals.js'
import { webhookWords } from './0037-webhook-words.js'
import { mailDelivery } from './0039-mail-delivery.js'
import { liveNotices } from './0040-live-notices.js'

/** All migrations in order, listed by hand. Forward only; add at the end, never edit a released one. */
export const migrations: Readonly<Record<string, Migration>> = {
  '0001-foundation': foundation,
  '0002-management': management,
  '0003-usage': usage,
  '0004-identity': identity,
  '0005-oauth': oauth,
  '0006-plans': plans,
  '0007-legacy': legacy,
  '0008-stream': stream,
  '0009-stream-links': streamLinks,
  '0010-built-in-domains': builtInDomains,
  '0011-click-log-home': clickLogHome,
  '0012-accounts': accounts,
  '0013-half-sessions': halfSessions,
  '0014-mobile-apps': mobileApps,
  '0015-pending-domains': pendingDomains,
  '0016-keyword-counts': keywordCounts,
  '0017-visitor-salts': visitorSalts,
  '0018-leases': leases,
  '0019-images': images,
  '0020-qr-codes': qrCodes,
  '0021-utm-templates': utmTemplates,
  '0022-session-origins': sessionOrigins,
  '0023-webhooks': webhooks,
  '0024-idempotency-keys': idempotencyKeys,
  '0025-held-topics': heldTopics,
  '0026-group-time-zones': groupTimeZones,
  '0027-bulk-jobs': bulkJobs,
  '0028-imported-clicks': importedClicks,
  '0030-qr-image-ids': qrImageIds,
  '0031-answer-words': answerWords,
  '0032-address-changes': addressChanges,
  '0033-email-changes': emailChanges,
  '0034-default-link-privacy': defaultLinkPrivacy,
  '0036-journals': journals,
  '0037-webhook-words': webhookWords,
  '0039-mail-delivery': mailDelivery,
  '0040-live-notices': liveNotices,
}
