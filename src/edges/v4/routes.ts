/**
 * The v4 interface: who is asking, in which order a request is checked, and the operations. Translates between wire
 * names and core calls; no rule of the product lives here.
 */
import type { FastifyRequest } from 'fastify'
import { type Actor, requireGroup } from '../../core/auth/actor.js'
import { Refusal } from '../../core/refusal.js'
import type { UsageParts } from '../../core/usage/features.js'
import { isJson, readJsonBodies, wantsBody } from '../http/json-body.js'
import { type RequestLimitParts, requestLimits } from '../http/request-limits.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { textIn } from './access.js'
import { type AppRouteParts, appRoutes } from './apps.js'
import { type AuditRouteParts, auditRoutes } from './audit-log.js'
import { type BsdRouteParts, bsdRoutes } from './bsds.js'
import { type CampaignRouteParts, campaignRoutes } from './campaigns.js'
import { channelRoutes } from './channels.js'
import { type CustomShortlinkRouteParts, customShortlinkRoutes } from './custom-shortlinks.js'
import { BrandedDomainBody, DnsReport, type DomainRouteParts, domainRoutes } from './domains.js'
import { answerV4, unacceptableContentType } from './errors.js'
import { type ExpandRouteParts, expandRoutes } from './expand.js'
import { type ExportRouteParts, exportRoutes } from './exports.js'
import { type GroupShortlinkRouteParts, groupShortlinkRoutes } from './group-shortlinks.js'
import { type GroupRouteParts, groupRoutes } from './groups.js'
import { type InvitationRouteParts, invitationRoutes } from './invitations.js'
import { type LimitRouteParts, limitRoutes } from './limits.js'
import { type MetricRouteParts, metricRoutes } from './metrics.js'
import { MobileAppBody, type MobileAppRouteParts, mobileAppRoutes } from './mobile-apps.js'
import { type OrganizationRouteParts, organizationRoutes } from './organizations.js'
import { Campaign, Channel } from './schemas/campaign.js'
import { declareBrokenRequests, ErrorBody } from './schemas/error.js'
import { Group, GroupPreferences } from './schemas/group.js'
import { Organization } from './schemas/organization.js'
import { CustomShortLink, Deeplink, RoutingRule, ShortenedLink, ShortLink } from './schemas/short-link.js'
import { User } from './schemas/user.js'
import { type ShortenRouteParts, shortenRoutes } from './shorten.js'
import { type ShortenCountRouteParts, shortenCountRoutes } from './shorten-counts.js'
import { type ShortlinkRouteParts, shortlinkRoutes } from './shortlinks.js'
import { type StreamAccessRouteParts, streamAccessRoutes } from './stream-access.js'
import { usageRoutes } from './usage.js'
import { type UserRouteParts, userRoutes } from './user.js'
import { type UserApplicationRouteParts, userApplicationRoutes } from './user-applications.js'
import { type UserSecurityRouteParts, userSecurityRoutes } from './user-security.js'
import { type UserTokenRouteParts, userTokenRoutes } from './user-tokens.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who is asking; set before any v4 handler runs. */
    actor: Actor
  }
}

export type V4Parts = ShortenRouteParts &
  ShortlinkRouteParts &
  CustomShortlinkRouteParts &
  ExpandRouteParts &
  MetricRouteParts &
  BsdRouteParts &
  DomainRouteParts &
  MobileAppRouteParts &
  GroupRouteParts &
  GroupShortlinkRouteParts &
  OrganizationRouteParts &
  UserRouteParts &
  UserTokenRouteParts &
  UserSecurityRouteParts &
  UserApplicationRouteParts &
  InvitationRouteParts &
  AuditRouteParts &
  AppRouteParts &
  CampaignRouteParts &
  ExportRouteParts &
  ShortenCountRouteParts &
  LimitRouteParts &
  StreamAccessRouteParts &
  RequestLimitParts &
  UsageParts & { readonly tokens: { authenticate(token: string): Promise<Actor> } }

export function v4Routes(http: TypedFastify, parts: V4Parts): void {
  http.register(async (v4: TypedFastify) => {
    readJsonBodies(v4)
    v4.decorateRequest('actor')
    const limits = requestLimits(v4, parts)
    v4.setErrorHandler((error, request, reply) => {
      const { status, headers = {}, body } = answerV4(error, request.url)
      if (status >= 500) request.log.error({ err: error, route: request.routeOptions.url }, 'request failed')
      return reply.code(status).headers(headers).send(body)
    })

    // Gaps 1.3. Unknown methods and paths were answered before; next are token, content type, JSON, group, fields. Our
    // choice: limits on requests come with the token, so that whoever asks too much causes no more work than that.
    v4.addHook('onRequest', async (request, reply) => {
      reply.header('cache-control', 'no-store')
      const admitted = limits.enter(request, reply)
      if (admitted) await admitted
      const authenticate = () => parts.tokens.authenticate(tokenOf(request.headers.authorization))
      request.actor = await limits.admit(request, reply, authenticate)
    })
    v4.addHook('preParsing', (request, _reply, _payload, done) => {
      if (wantsBody(request) && !isJson(request.headers['content-type'])) throw unacceptableContentType()
      done()
    })
    v4.addHook('preValidation', (request, _reply, done) => {
      for (const groupGuid of namedGroups(request)) {
        if (groupGuid !== undefined) requireGroup(request.actor, groupGuid)
      }
      done()
    })

    declareBrokenRequests(v4)
    for (const shared of [RoutingRule, CustomShortLink]) v4.addSchema(shared)
    for (const shared of [Deeplink, ShortLink, ShortenedLink, ErrorBody, DnsReport, BrandedDomainBody, MobileAppBody])
      v4.addSchema(shared)
    for (const shared of [Group, GroupPreferences, Organization, User, Campaign, Channel]) v4.addSchema(shared)
    shortenRoutes(v4, parts)
    shortlinkRoutes(v4, parts)
    customShortlinkRoutes(v4, parts)
    groupShortlinkRoutes(v4, parts)
    expandRoutes(v4, parts)
    metricRoutes(v4, parts)
    bsdRoutes(v4, parts)
    domainRoutes(v4, parts)
    mobileAppRoutes(v4, parts)
    groupRoutes(v4, parts)
    organizationRoutes(v4, parts)
    userRoutes(v4, parts)
    userTokenRoutes(v4, parts)
    userSecurityRoutes(v4, parts)
    userApplicationRoutes(v4, parts)
    invitationRoutes(v4, parts)
    auditRoutes(v4, parts)
    appRoutes(v4, parts)
    campaignRoutes(v4, parts)
    channelRoutes(v4, parts)
    exportRoutes(v4, parts)
    shortenCountRoutes(v4, parts)
    usageRoutes(v4, parts)
    limitRoutes(v4, parts)
    streamAccessRoutes(v4, parts)
  })
}

/** `Bearer <token>`, or the bare token that the most used client sends (gaps 2.1). */
function tokenOf(authorization: string | undefined): string {
  const [, token] = /^(?:bearer +)?([^\s]+)$/i.exec(authorization?.trim() ?? '') ?? []
  if (token === undefined) {
    throw new Refusal('FORBIDDEN', 'Send an access token in the header "Authorization: Bearer <token>".')
  }
  return token
}

/**
 * Groups named wherever an operation wants to be told one: elsewhere it is an unknown field, which means nothing (gaps
 * 2.1). One that is not text is left for the schema to refuse.
 */
function namedGroups(request: FastifyRequest): (string | undefined)[] {
  const inPath = textIn(request.params, 'group_guid')
  // An empty parameter of a query is an absent one (validation.ts).
  const inQuery = textIn(request.query, 'group_guid') || undefined
  const inBody = textIn(request.body, 'group_guid')
  if (inQuery === undefined && inBody === undefined) return [inPath]
  const { querystring, body } = request.routeOptions.schema ?? {}
  return [inPath, wantsGroup(querystring) ? inQuery : undefined, wantsGroup(body) ? inBody : undefined]
}

function wantsGroup(schema: unknown): boolean {
  const properties: unknown = Reflect.get(Object(schema), 'properties')
  return Object.hasOwn(Object(properties), 'group_guid')
}
