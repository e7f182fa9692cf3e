/**
 * Which topics a user may read. Nobody may read any until an operator allows their organization or their login; access is
 * checked again while a connection lasts. Must not know how the stream is delivered.
 */

import { createHmac } from 'node:crypto'
import type { TokenStore } from '../accounts/account-store.js'
import type { Actor } from '../accounts/actor.js'
import type { GroupStore } from '../accounts/group-store.js'
import { hasScope } from '../accounts/scopes.js'
import { Refusal } from '../values/refusal.js'
import type { AllowedReader, StreamStore } from './stream-store.js'

export interface StreamAccessDeps {
  readonly streamStore: Pick<StreamStore, 'allowedReaders'>
  readonly groups: GroupStore
}

/**
 * In an allowed organization, administrators may read, because its topics cover all of its groups. A login that is
 * allowed by name may read the topics of all its organizations, whatever its role. The topics of the whole service are
 * readable for administrators of the organization that runs it, if they may read its own topics. A token needs the scope
 * for links or for clicks, and none of them if it is limited to groups: it has no organization.
 */
export async function readableTopics(deps: StreamAccessDeps, actor: Actor): Promise<readonly string[]> {
  const [allowed, serviceOrganization] = await Promise.all([
    deps.streamStore.allowedReaders(),
    findServiceOrganization(deps),
  ])
  return topicsFor(actor, allowed, serviceOrganization)
}

export interface AuthorizeReaderDeps extends StreamAccessDeps {
  readonly tokens: { authenticate(token: string): Promise<Actor> }
}

export interface AuthorizedReader {
  readonly login: string
  readonly topics: readonly string[]
  /** Seconds until the authorization expires. */
  readonly ttl: number
}

/** The owner of the token and their topics; undefined without any topic. */
export async function authorizeReader(deps: AuthorizeReaderDeps, token: string): Promise<AuthorizedReader | undefined> {
  const actor = await actorOf(deps, token)
  if (!actor) return undefined
  const topics = await readableTopics(deps, actor)
  return topics.length === 0 ? undefined : { login: actor.login, topics, ttl: authorizationTtl }
}

/** A reader that lost access is disconnected after at most this many seconds. */
export const authorizationTtl = 10

export interface WantedTopicsDeps extends StreamAccessDeps {
  readonly accounts: TokenStore
}

export interface WantedTopics {
  readonly topics: ReadonlySet<string>
  /** When the first reader of links was allowed; undefined without readers. */
  readonly since: number | undefined
}

/** All topics that anybody may read; nothing is published to other topics. */
export async function wantedTopics(deps: WantedTopicsDeps): Promise<WantedTopics> {
  const [allowed, serviceOrganization] = await Promise.all([
    deps.streamStore.allowedReaders(),
    findServiceOrganization(deps),
  ])
  const topics = new Set<string>()
  const want = (some: readonly string[]) => {
    for (const topic of some) topics.add(topic)
  }
  for (const { kind, subject } of allowed) {
    if (kind === 'organization') want(topicsOf(subject, subject === serviceOrganization))
    else {
      const actor = await deps.accounts.actorByLogin(subject)
      if (actor) want(topicsFor(actor, allowed, serviceOrganization))
    }
  }
  return { topics, since: allowed[0]?.allowedAt }
}

function topicsFor(
  actor: Actor,
  allowed: readonly AllowedReader[],
  serviceOrganization: string | undefined,
): readonly string[] {
  const isAllowed = (kind: AllowedReader['kind'], subject: string) =>
    allowed.some((reader) => reader.kind === kind && reader.subject === subject)
  const isAllowedByLogin = isAllowed('login', actor.login)
  return actor.organizations.flatMap(({ organizationGuid, role }) => {
    const admin = role === 'admin'
    if (!isAllowedByLogin && !(admin && isAllowed('organization', organizationGuid))) return []
    const topics = topicsOf(organizationGuid, admin && organizationGuid === serviceOrganization)
    return topics.filter((topic) => hasScope(actor, isOfLinks(topic) ? 'links:read' : 'analytics:read'))
  })
}

function topicsOf(organizationGuid: string, withServiceTopics: boolean): readonly string[] {
  const own = organizationTopics(organizationGuid)
  return withServiceTopics ? [serviceClicks, serviceLinks, ...own] : own
}

/** The topics of one organization. */
export function organizationTopics(organizationGuid: string): readonly string[] {
  return [organizationClicks(organizationGuid), organizationLinks(organizationGuid)]
}

/** The oldest organization, created when the service first started. */
async function findServiceOrganization({ groups }: Pick<StreamAccessDeps, 'groups'>): Promise<string | undefined> {
  const [oldest] = await groups.organizations('all')
  return oldest?.guid
}

async function actorOf({ tokens }: AuthorizeReaderDeps, token: string): Promise<Actor | undefined> {
  try {
    return await tokens.authenticate(token)
  } catch (error) {
    // An unknown token is a regular result here; other errors mean that authentication failed to run.
    if (error instanceof Refusal && error.code === 'FORBIDDEN') return undefined
    throw error
  }
}

/**
 * The secret with which the service authenticates to nsqd as publisher. Derived from the secret in the URL of the auth
 * server, so every process knows it; different from it, because that URL appears in command lines and logs.
 */
export function publisherSecret(authSecret: string): string {
  return createHmac('sha256', authSecret).update('shortlink publishes to nsqd').digest('hex')
}

/** Topic names (docs/api/stream.md#topics). Consumers have them in their configuration, so they must never change. */

/** All clicks of the service, for its administrators. */
export const serviceClicks = 'clicks'

/** Clicks on links of one organization. */
export function organizationClicks(organizationGuid: string): string {
  return `${serviceClicks}.${organizationGuid}`
}

/** All new links of the service, for its administrators. */
export const serviceLinks = 'links'

/** New links of one organization. */
export function organizationLinks(organizationGuid: string): string {
  return `${serviceLinks}.${organizationGuid}`
}

export function isOfLinks(topic: string): boolean {
  return topic === serviceLinks || topic.startsWith(`${serviceLinks}.`)
}
