/** What a live reader reads: the clicks of a group, or of one link. */
export interface LiveSubject {
  readonly organizationGuid: string
  readonly kind: 'group' | 'link'
  /** The guid of the group, or the stored id of the link. */
  readonly id: string
}

/** Events for all readers of the subject with this key. */
export type FeedUpdate = readonly [key: string, events: string]

/** Clicks of one subject, from one process to the readers of others. */
export interface SharedClicks {
  readonly key: string
  /** As JSON for readers. */
  readonly clicks: readonly string[]
  /** Further clicks, which are only counted. */
  readonly counted: number
}

export function keyOf({ kind, id }: Pick<LiveSubject, 'kind' | 'id'>): string {
  return `${kind} ${id}`
}
