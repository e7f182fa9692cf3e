/**
 * The operations of v4, which translate between JSON and core calls and contain no product rules. route.ts has what they
 * share: how a request is checked.
 */
import type { UsageDeps } from '../../core/usage/features.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import {
  type ApplicationRouteDeps,
  applicationRoutes,
  type UserApplicationRouteDeps,
  userApplicationRoutes,
} from './applications.js'
import { type AuditRouteDeps, auditRoutes } from './audit-log.js'
import { type BulkRouteDeps, bulkRoutes } from './bulk.js'
import { type BulkJobRouteDeps, bulkJobRoutes, JobBody } from './bulk-jobs.js'
import { Campaign, type CampaignRouteDeps, Channel, campaignRoutes, channelRoutes } from './campaigns.js'
import { type CustomShortlinkRouteDeps, customShortlinkRoutes } from './custom-shortlinks.js'
import {
  BrandedDomainBody,
  type BsdRouteDeps,
  bsdRoutes,
  CertificateReport,
  DnsReport,
  type DomainRouteDeps,
  domainRoutes,
} from './domains.js'
import { type EventRouteDeps, eventRoutes } from './events.js'
import { type ExpandRouteDeps, expandRoutes } from './expand.js'
import { type ExportRouteDeps, exportRoutes } from './exports.js'
import { type GroupQrCodeRouteDeps, groupQrCodeRoutes } from './group-qr-codes.js'
import { type GroupShortlinkRouteDeps, groupShortlinkRoutes } from './group-shortlinks.js'
import { type GroupRouteDeps, groupRoutes } from './groups.js'
import { ImageBody, type ImageRouteDeps, imageRoutes } from './images.js'
import { type InvitationRouteDeps, invitationRoutes } from './invitations.js'
import { type LimitRouteDeps, limitRoutes } from './limits.js'
import { type LinksClicksRouteDeps, linksClicksRoutes } from './links-clicks.js'
import { type MemberRouteDeps, memberRoutes } from './members.js'
import { type MetricRouteDeps, metricRoutes } from './metrics.js'
import { MobileAppBody, type MobileAppRouteDeps, mobileAppRoutes } from './mobile-apps.js'
import { type OrganizationRouteDeps, organizationRoutes } from './organizations.js'
import { type QrCodeRouteDeps, qrCodeRoutes } from './qr-codes.js'
import { type QrImageRouteDeps, qrImageRoutes } from './qr-images.js'
import { checkRequests, type RequestDeps } from './route.js'
import { Group, GroupPreferences, Organization, User } from './schemas/accounts.js'
import { ErrorBody } from './schemas/error.js'
import { CustomShortLink, Deeplink, RoutingRule, ShortenedLink, ShortLink } from './schemas/short-link.js'
import { type ServiceRouteDeps, serviceRoutes } from './service.js'
import { type ShortenRouteDeps, shortenRoutes } from './shorten.js'
import { type ShortenCountRouteDeps, shortenCountRoutes } from './shorten-counts.js'
import { type ShortlinkQrRouteDeps, shortlinkQrRoutes } from './shortlink-qr.js'
import { type ShortlinkRouteDeps, shortlinkRoutes } from './shortlinks.js'
import { type StreamAccessRouteDeps, streamAccessRoutes } from './stream-access.js'
import { usageRoutes } from './usage.js'
import { type UserRouteDeps, userRoutes } from './user.js'
import { type UserSecurityRouteDeps, userSecurityRoutes } from './user-security.js'
import { type UserSessionRouteDeps, userSessionRoutes } from './user-sessions.js'
import { type UserTokenRouteDeps, userTokenRoutes } from './user-tokens.js'
import { UtmTemplateBody, type UtmTemplateRouteDeps, utmTemplateRoutes } from './utm-templates.js'
import { webhookDeliveryRoutes } from './webhook-deliveries.js'
import { WebhookBody, type WebhookRouteDeps, webhookRoutes } from './webhooks.js'

export type V4Deps = ShortenRouteDeps &
  BulkRouteDeps &
  BulkJobRouteDeps &
  ShortlinkRouteDeps &
  CustomShortlinkRouteDeps &
  ExpandRouteDeps &
  MetricRouteDeps &
  EventRouteDeps &
  LinksClicksRouteDeps &
  BsdRouteDeps &
  DomainRouteDeps &
  MobileAppRouteDeps &
  ImageRouteDeps &
  GroupRouteDeps &
  GroupShortlinkRouteDeps &
  QrCodeRouteDeps &
  GroupQrCodeRouteDeps &
  QrImageRouteDeps &
  ShortlinkQrRouteDeps &
  OrganizationRouteDeps &
  UserRouteDeps &
  UserTokenRouteDeps &
  UserSessionRouteDeps &
  MemberRouteDeps &
  ServiceRouteDeps &
  UserSecurityRouteDeps &
  UserApplicationRouteDeps &
  InvitationRouteDeps &
  AuditRouteDeps &
  ApplicationRouteDeps &
  CampaignRouteDeps &
  ExportRouteDeps &
  ShortenCountRouteDeps &
  LimitRouteDeps &
  StreamAccessRouteDeps &
  UtmTemplateRouteDeps &
  WebhookRouteDeps &
  RequestDeps &
  UsageDeps

export function v4Routes(http: TypedFastify, deps: V4Deps): void {
  http.register(async (v4: TypedFastify) => {
    checkRequests(v4, deps)
    for (const shared of [RoutingRule, CustomShortLink]) v4.addSchema(shared)
    for (const shared of [
      Deeplink,
      ShortLink,
      ShortenedLink,
      ErrorBody,
      DnsReport,
      CertificateReport,
      BrandedDomainBody,
      MobileAppBody,
      ImageBody,
      UtmTemplateBody,
      WebhookBody,
      JobBody,
    ])
      v4.addSchema(shared)
    for (const shared of [Group, GroupPreferences, Organization, User, Campaign, Channel]) v4.addSchema(shared)
    shortenRoutes(v4, deps)
    bulkRoutes(v4, deps)
    bulkJobRoutes(v4, deps)
    shortlinkRoutes(v4, deps)
    customShortlinkRoutes(v4, deps)
    groupShortlinkRoutes(v4, deps)
    qrCodeRoutes(v4, deps)
    groupQrCodeRoutes(v4, deps)
    qrImageRoutes(v4, deps)
    shortlinkQrRoutes(v4, deps)
    expandRoutes(v4, deps)
    metricRoutes(v4, deps)
    eventRoutes(v4, deps)
    linksClicksRoutes(v4, deps)
    bsdRoutes(v4, deps)
    domainRoutes(v4, deps)
    mobileAppRoutes(v4, deps)
    imageRoutes(v4, deps)
    groupRoutes(v4, deps)
    utmTemplateRoutes(v4, deps)
    organizationRoutes(v4, deps)
    userRoutes(v4, deps)
    userTokenRoutes(v4, deps)
    userSessionRoutes(v4, deps)
    memberRoutes(v4, deps)
    serviceRoutes(v4, deps)
    userSecurityRoutes(v4, deps)
    userApplicationRoutes(v4, deps)
    invitationRoutes(v4, deps)
    auditRoutes(v4, deps)
    applicationRoutes(v4, deps)
    campaignRoutes(v4, deps)
    channelRoutes(v4, deps)
    exportRoutes(v4, deps)
    shortenCountRoutes(v4, deps)
    usageRoutes(v4, deps)
    limitRoutes(v4, deps)
    streamAccessRoutes(v4, deps)
    webhookRoutes(v4, deps)
    webhookDeliveryRoutes(v4, deps)
  })
}
