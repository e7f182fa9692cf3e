/** What a live reader reads: the clicks of a group, or of one link. */
export interface LiveSubject {
  readonly organizationGuid: string
  readonly kind: 'group' | 'link'
  /** The guid of the group, or `<domain>/<hash>` with the current name of the domain. */
  readonly id: string
}

/** Events for all readers of the subject with this key. */
export type FeedUpdate = readonly [key: string, events: string]

/** The organization is part of the key: a group that moves gets another feed. */
export function keyOf({ organizationGuid, kind, id }: LiveSubject): string {
  return `${organizationGuid} ${kind} ${id}`
}
