/** Whose figures are asked for. Every report begins here, and here is decided who may see it: whoever may read the thing. */
import { type Actor, requireGroup } from '../auth/actor.js'
import type { EngagementKind, Nature } from '../clicks/click.js'
import { type KeywordParts, readCustomShortlink } from '../links/keywords.js'
import { type ReadParts, readLink } from '../links/read.js'
import type { Counted, MetricsQuery, MetricsScope } from './query.js'
import type { Window } from './window.js'

export interface Subject {
  readonly scope: MetricsScope
  /** Since when it can have been used; undefined: since it first was. */
  readonly since: number | undefined
}

export interface GroupSubject extends Subject {
  readonly scope: { readonly groupGuid: string }
}

/** What a report is to be about. */
export interface Asked<S extends Subject = Subject> {
  readonly subject: S
  readonly window: Window
  readonly kinds: readonly EngagementKind[]
  readonly traffic: Traffic
  readonly measure: MetricsQuery['measure']
}

/** Our choice: people unless told otherwise; what else came is kept, and can be counted alone or with them. */
export type Traffic = 'human' | 'bots' | 'all'

export const allKinds: readonly EngagementKind[] = ['click', 'scan', 'button']

/** Figures are kept by the address used: a link's own are those of the address it was asked for by (gaps 2.4). */
export async function linkSubject(
  parts: Pick<ReadParts, 'links'>,
  actor: Actor,
  domain: string,
  backHalf: string,
): Promise<Subject> {
  const { link, address } = await readLink(parts, actor, domain, backHalf)
  return { scope: { addresses: [address] }, since: link.createdAt }
}

/** A custom short link's figures span everything it ever led to. */
export async function keywordSubject(
  parts: Pick<KeywordParts, 'keywords' | 'domains'>,
  actor: Actor,
  place: { readonly domain: string; readonly keyword: string },
): Promise<Subject> {
  const { address, link, history } = await readCustomShortlink(parts, actor, place)
  return { scope: { addresses: [address] }, since: history[0]?.firstCreatedAt ?? link.createdAt }
}

export function groupSubject(actor: Actor, groupGuid: string): GroupSubject {
  requireGroup(actor, groupGuid)
  return { scope: { groupGuid }, since: undefined }
}

export function countedOf({ subject, kinds, traffic }: Asked): Counted {
  return { scope: subject.scope, kinds, natures: naturesOf[traffic] }
}

const bots: readonly Nature[] = ['bot', 'preview', 'prefetch', 'head']
const naturesOf: Readonly<Record<Traffic, readonly Nature[]>> = {
  human: ['human'],
  bots,
  all: ['human', ...bots],
}
