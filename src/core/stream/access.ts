/**
 * Which topics somebody may read. Nobody may read any until an operator has allowed their organization or their account;
 * permission is looked at again and again while a connection lasts. It must not know how the stream is delivered.
 */
import type { AccountStore } from '../accounts/account-store.js'
import type { Actor } from '../accounts/actor.js'
import type { GroupStore } from '../accounts/group-store.js'
import { Refusal } from '../values/refusal.js'
import type { AllowedReader, StreamStore } from './stream-store.js'
import { organizationClicks, organizationLinks, serviceClicks, serviceLinks } from './topics.js'

export interface StreamAccessDeps {
  readonly streamStore: Pick<StreamStore, 'allowedReaders'>
  readonly groups: GroupStore
}

/**
 * Our choice: of an organization that is allowed its administrators may read, because its topics tell about all of its
 * groups. An account that is allowed by name may read those of every organization it belongs to, whatever its role. The
 * topics of the whole service are for whoever may read those of the organization that runs it, as an administrator.
 */
export async function readableTopics(deps: StreamAccessDeps, actor: Actor): Promise<readonly string[]> {
  const [allowed, running] = await Promise.all([deps.streamStore.allowedReaders(), runningOrganization(deps)])
  return topicsFor(actor, allowed, running)
}

export interface AuthorizeReaderDeps extends StreamAccessDeps {
  readonly tokens: { authenticate(token: string): Promise<Actor> }
}

export interface AuthorizedReader {
  readonly login: string
  readonly topics: readonly string[]
  /** Seconds for which this holds. */
  readonly ttl: number
}

/** Who the token belongs to and what they may read; undefined when that is nothing. */
export async function authorizeReader(deps: AuthorizeReaderDeps, token: string): Promise<AuthorizedReader | undefined> {
  const actor = await actorOf(deps, token)
  if (!actor) return undefined
  const topics = await readableTopics(deps, actor)
  return topics.length === 0 ? undefined : { login: actor.login, topics, ttl: authorizationTtl }
}

/** Our choice: who may no longer read is asked about again after this many seconds, and disconnected. */
export const authorizationTtl = 10

export interface WantedTopicsDeps extends StreamAccessDeps {
  readonly accounts: AccountStore
}

export interface Wanted {
  readonly topics: ReadonlySet<string>
  /** When the first of those who may read was allowed to; undefined when nobody is. */
  readonly since: number | undefined
}

/** Every topic that anybody may read: what is published to others would be work for nobody. */
export async function wantedTopics(deps: WantedTopicsDeps): Promise<Wanted> {
  const [allowed, running] = await Promise.all([deps.streamStore.allowedReaders(), runningOrganization(deps)])
  const topics = new Set<string>()
  const want = (some: readonly string[]) => {
    for (const topic of some) topics.add(topic)
  }
  for (const { kind, subject } of allowed) {
    if (kind === 'organization') want(topicsOf(subject, subject === running))
    else {
      const actor = await deps.accounts.actorByLogin(subject)
      if (actor) want(topicsFor(actor, allowed, running))
    }
  }
  return { topics, since: allowed[0]?.allowedAt }
}

function topicsFor(actor: Actor, allowed: readonly AllowedReader[], running: string | undefined): readonly string[] {
  const isAllowed = (kind: AllowedReader['kind'], subject: string) =>
    allowed.some((reader) => reader.kind === kind && reader.subject === subject)
  const byName = isAllowed('login', actor.login)
  return actor.organizations.flatMap(({ organizationGuid, role }) => {
    const admin = role === 'admin'
    if (!byName && !(admin && isAllowed('organization', organizationGuid))) return []
    return topicsOf(organizationGuid, admin && organizationGuid === running)
  })
}

function topicsOf(organizationGuid: string, andOfService: boolean): readonly string[] {
  const own = organizationTopics(organizationGuid)
  return andOfService ? [serviceClicks, serviceLinks, ...own] : own
}

/** What is told about one organization. */
export function organizationTopics(organizationGuid: string): readonly string[] {
  return [organizationClicks(organizationGuid), organizationLinks(organizationGuid)]
}

/** The oldest one, which was made when the service was first started. */
async function runningOrganization({ groups }: Pick<StreamAccessDeps, 'groups'>): Promise<string | undefined> {
  const [oldest] = await groups.organizations('all')
  return oldest?.guid
}

async function actorOf({ tokens }: AuthorizeReaderDeps, token: string): Promise<Actor | undefined> {
  try {
    return await tokens.authenticate(token)
  } catch (error) {
    // An unknown token is an ordinary answer here; anything else means that nobody could say.
    if (error instanceof Refusal && error.code === 'FORBIDDEN') return undefined
    throw error
  }
}
