/**
 * The operations of v4, which translate between JSON and core calls and contain no product rules. route.ts has what they
 * share: how a request is checked.
 */
import type { TypedFastify } from '../http/typed-fastify.js'
import { AnnotationBody, annotationRoutes } from './annotations.js'
import { applicationRoutes, userApplicationRoutes } from './applications.js'
import { auditRoutes } from './audit-log.js'
import { batchRoutes } from './batch.js'
import { bulkRoutes } from './bulk.js'
import { bulkJobRoutes, JobBody } from './bulk-jobs.js'
import { Campaign, Channel, campaignRoutes, channelRoutes } from './campaigns.js'
import { campaignsMetricsRoutes } from './campaigns-metrics.js'
import { AddedCustomDomain, CustomDomain, customDomainRoutes } from './custom-domains.js'
import { customShortlinkRoutes } from './custom-shortlinks.js'
import { BrandedDomainBody, bsdRoutes, CertificateReport, DnsReport, domainRoutes } from './domains.js'
import { eventRoutes } from './events.js'
import { expandRoutes } from './expand.js'
import { ExportJobBody, exportJobRoutes } from './export-jobs.js'
import { exportRoutes } from './exports.js'
import { groupQrCodeRoutes } from './group-qr-codes.js'
import { groupShortlinkRoutes } from './group-shortlinks.js'
import { groupRoutes } from './groups.js'
import { ImageBody, imageRoutes } from './images.js'
import { invitationRoutes } from './invitations.js'
import { limitRoutes } from './limits.js'
import { linkHistoryRoutes } from './link-history.js'
import { linksClicksRoutes } from './links-clicks.js'
import { linksIconsRoutes } from './links-icons.js'
import { memberRoutes } from './members.js'
import { metricRoutes } from './metrics.js'
import { MobileAppBody, mobileAppRoutes } from './mobile-apps.js'
import { organizationRoutes } from './organizations.js'
import { passkeyRoutes } from './passkeys.js'
import { qrCodeRoutes } from './qr-codes.js'
import { qrImageRoutes } from './qr-images.js'
import { checkRequests, type RequestDeps } from './route.js'
import { Group, GroupPreferences, Organization, User } from './schemas/accounts.js'
import { ErrorBody } from './schemas/error.js'
import { CustomShortLink, Deeplink, RoutingRule, ShortenedLink, ShortLink } from './schemas/short-link.js'
import { serviceRoutes } from './service.js'
import { shortenRoutes } from './shorten.js'
import { shortenCountRoutes } from './shorten-counts.js'
import { shortlinkQrRoutes } from './shortlink-qr.js'
import { shortlinkRoutes } from './shortlinks.js'
import { siteBlockRoutes } from './site-blocks.js'
import { siteMetricRoutes } from './site-metrics.js'
import { siteRoutes } from './sites.js'
import { streamAccessRoutes } from './stream-access.js'
import { TagBody, tagRoutes } from './tags.js'
import { usageRoutes } from './usage.js'
import { userRoutes } from './user.js'
import { userSecurityRoutes } from './user-security.js'
import { userSessionRoutes } from './user-sessions.js'
import { userTokenRoutes } from './user-tokens.js'
import { UtmTemplateBody, utmTemplateRoutes } from './utm-templates.js'
import { ViewBody, viewRoutes } from './views.js'
import { webhookDeliveryRoutes } from './webhook-deliveries.js'
import { WebhookBody, webhookRoutes } from './webhooks.js'

/** In the order of the OpenAPI document. */
const routes = [
  shortenRoutes,
  bulkRoutes,
  bulkJobRoutes,
  shortlinkRoutes,
  linkHistoryRoutes,
  customShortlinkRoutes,
  groupShortlinkRoutes,
  linksIconsRoutes,
  qrCodeRoutes,
  groupQrCodeRoutes,
  qrImageRoutes,
  shortlinkQrRoutes,
  siteRoutes,
  siteBlockRoutes,
  expandRoutes,
  metricRoutes,
  siteMetricRoutes,
  eventRoutes,
  linksClicksRoutes,
  campaignsMetricsRoutes,
  bsdRoutes,
  domainRoutes,
  customDomainRoutes,
  mobileAppRoutes,
  imageRoutes,
  groupRoutes,
  tagRoutes,
  utmTemplateRoutes,
  viewRoutes,
  annotationRoutes,
  organizationRoutes,
  userRoutes,
  userTokenRoutes,
  userSessionRoutes,
  memberRoutes,
  serviceRoutes,
  batchRoutes,
  userSecurityRoutes,
  passkeyRoutes,
  userApplicationRoutes,
  invitationRoutes,
  auditRoutes,
  applicationRoutes,
  campaignRoutes,
  channelRoutes,
  exportRoutes,
  exportJobRoutes,
  shortenCountRoutes,
  usageRoutes,
  limitRoutes,
  streamAccessRoutes,
  webhookRoutes,
  webhookDeliveryRoutes,
] as const

const sharedSchemas = [
  RoutingRule,
  CustomShortLink,
  Deeplink,
  ShortLink,
  ShortenedLink,
  ErrorBody,
  DnsReport,
  CertificateReport,
  BrandedDomainBody,
  AddedCustomDomain,
  CustomDomain,
  MobileAppBody,
  ImageBody,
  TagBody,
  UtmTemplateBody,
  ViewBody,
  AnnotationBody,
  WebhookBody,
  JobBody,
  ExportJobBody,
  Group,
  GroupPreferences,
  Organization,
  User,
  Campaign,
  Channel,
]

/** What all of them need together. */
export type V4Deps = RequestDeps & AllOf<Parameters<(typeof routes)[number]>[1]>

/** `A & B` of `A | B`. */
type AllOf<Either> = (Either extends unknown ? (each: Either) => void : never) extends (all: infer All) => void
  ? All
  : never

export function v4Routes(http: TypedFastify, deps: V4Deps): void {
  http.register(async (v4: TypedFastify) => {
    checkRequests(v4, deps)
    for (const schema of sharedSchemas) v4.addSchema(schema)
    for (const each of routes) each(v4, deps)
  })
}
