/**
 * The v4 interface: who is asking, in which order a request is checked, and the operations. Translates between wire
 * names and core calls; no rule of the product lives here.
 */
import type { FastifyRequest } from 'fastify'
import type { Actor } from '../../core/accounts/actor.js'
import { actorOfSession, type SessionDeps } from '../../core/sign-in/sessions.js'
import type { UsageDeps } from '../../core/usage/features.js'
import { Refusal } from '../../core/values/refusal.js'
import { readCookie, sessionCookie } from '../http/cookies.js'
import { isJson, readJsonBodies, wantsBody } from '../http/json-body.js'
import { type Caller, type RequestLimitDeps, requestLimits } from '../http/request-limits.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import {
  type ApplicationRouteDeps,
  applicationRoutes,
  type UserApplicationRouteDeps,
  userApplicationRoutes,
} from './applications.js'
import { type AuditRouteDeps, auditRoutes } from './audit-log.js'
import { type CampaignRouteDeps, campaignRoutes } from './campaigns.js'
import { channelRoutes } from './channels.js'
import { type CustomShortlinkRouteDeps, customShortlinkRoutes } from './custom-shortlinks.js'
import {
  BrandedDomainBody,
  type BsdRouteDeps,
  bsdRoutes,
  DnsReport,
  type DomainRouteDeps,
  domainRoutes,
} from './domains.js'
import { answerV4, unacceptableContentType } from './errors.js'
import { type ExpandRouteDeps, expandRoutes } from './expand.js'
import { type ExportRouteDeps, exportRoutes } from './exports.js'
import { type GroupShortlinkRouteDeps, groupShortlinkRoutes } from './group-shortlinks.js'
import { type GroupRouteDeps, groupRoutes } from './groups.js'
import { type InvitationRouteDeps, invitationRoutes } from './invitations.js'
import { type LimitRouteDeps, limitRoutes } from './limits.js'
import { type MetricRouteDeps, metricRoutes } from './metrics.js'
import { MobileAppBody, type MobileAppRouteDeps, mobileAppRoutes } from './mobile-apps.js'
import { type OrganizationRouteDeps, organizationRoutes } from './organizations.js'
import { Group, GroupPreferences, Organization, User } from './schemas/accounts.js'
import { Campaign, Channel } from './schemas/campaign.js'
import { ErrorBody } from './schemas/error.js'
import { CustomShortLink, Deeplink, RoutingRule, ShortenedLink, ShortLink } from './schemas/short-link.js'
import { type ShortenRouteDeps, shortenRoutes } from './shorten.js'
import { type ShortenCountRouteDeps, shortenCountRoutes } from './shorten-counts.js'
import { type ShortlinkRouteDeps, shortlinkRoutes } from './shortlinks.js'
import { type StreamAccessRouteDeps, streamAccessRoutes } from './stream-access.js'
import { usageRoutes } from './usage.js'
import { type UserRouteDeps, userRoutes } from './user.js'
import { type UserSecurityRouteDeps, userSecurityRoutes } from './user-security.js'
import { type UserTokenRouteDeps, userTokenRoutes } from './user-tokens.js'

export type V4Deps = ShortenRouteDeps &
  ShortlinkRouteDeps &
  CustomShortlinkRouteDeps &
  ExpandRouteDeps &
  MetricRouteDeps &
  BsdRouteDeps &
  DomainRouteDeps &
  MobileAppRouteDeps &
  GroupRouteDeps &
  GroupShortlinkRouteDeps &
  OrganizationRouteDeps &
  UserRouteDeps &
  UserTokenRouteDeps &
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
  RequestLimitDeps &
  UsageDeps &
  SessionDeps & {
    readonly tokens: { authenticate(token: string): Promise<Actor> }
    readonly config: { readonly baseUrl: string }
  }

export function v4Routes(http: TypedFastify, deps: V4Deps): void {
  http.register(async (v4: TypedFastify) => {
    readJsonBodies(v4)
    v4.decorateRequest('actor')
    v4.decorateRequest('granted')
    const limits = requestLimits(v4, deps)
    v4.setErrorHandler((error, request, reply) => {
      const { status, headers = {}, body } = answerV4(error, request.url)
      if (status >= 500) request.log.error({ err: error, route: request.routeOptions.url }, 'request failed')
      return reply.code(status).headers(headers).send(body)
    })

    // docs/api/README.md#order-of-checks. Unknown methods and paths were answered before; here are token, content type and
    // JSON; access and fields are in route.ts. Rate limits come with the token, so that a refused request costs no more
    // work than that.
    v4.addHook('onRequest', async (request, reply) => {
      reply.header('cache-control', 'no-store')
      const admitted = limits.enter(request, reply)
      if (admitted) await admitted
      request.actor = await limits.admit(request, reply, callerOf(deps, request))
    })
    v4.addHook('preParsing', (request, _reply, _payload, done) => {
      if (wantsBody(request) && !isJson(request.headers['content-type'])) throw unacceptableContentType()
      done()
    })
    for (const shared of [RoutingRule, CustomShortLink]) v4.addSchema(shared)
    for (const shared of [Deeplink, ShortLink, ShortenedLink, ErrorBody, DnsReport, BrandedDomainBody, MobileAppBody])
      v4.addSchema(shared)
    for (const shared of [Group, GroupPreferences, Organization, User, Campaign, Channel]) v4.addSchema(shared)
    shortenRoutes(v4, deps)
    shortlinkRoutes(v4, deps)
    customShortlinkRoutes(v4, deps)
    groupShortlinkRoutes(v4, deps)
    expandRoutes(v4, deps)
    metricRoutes(v4, deps)
    bsdRoutes(v4, deps)
    domainRoutes(v4, deps)
    mobileAppRoutes(v4, deps)
    groupRoutes(v4, deps)
    organizationRoutes(v4, deps)
    userRoutes(v4, deps)
    userTokenRoutes(v4, deps)
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
  })
}

/** A program with a token, or the dashboard: a browser with a session and its CSRF value (docs/api/README.md#sessions). */
function callerOf(deps: V4Deps, { headers }: FastifyRequest): Caller {
  const csrf = headers['x-csrf-token']
  if (headers.authorization !== undefined || typeof csrf !== 'string') {
    return { authenticate: () => deps.tokens.authenticate(tokenOf(headers.authorization)), isBrowser: false }
  }
  const secret = readCookie(deps.config, headers.cookie, sessionCookie)
  return { authenticate: () => actorOfSession(deps, secret, csrf), isBrowser: true }
}

/** `Bearer <token>`, or the bare token that the most used client sends. */
function tokenOf(authorization: string | undefined): string {
  const [, token] = /^(?:bearer +)?([^\s]+)$/i.exec(authorization?.trim() ?? '') ?? []
  if (token === undefined) {
    throw new Refusal('FORBIDDEN', 'Send an access token in the header "Authorization: Bearer <token>".')
  }
  return token
}
