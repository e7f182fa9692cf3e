/**
 * Stores the small records that belong to a group: UTM templates, views and annotations. Each method is one atomic step;
 * group-record-store.contract.ts defines the behaviour. Fields are validated before they get here.
 */
export interface GroupRecordStore<Fields> {
  /** `taken`: another record of the group has this name. */
  add(record: NewGroupRecord<Fields>): Promise<'added' | 'no-group' | 'taken' | 'too-many'>
  /** Changes the fields that are there, and returns the whole record. */
  update(
    groupGuid: string,
    guid: string,
    change: Partial<Fields>,
    at: number,
  ): Promise<GroupRecord<Fields> | 'missing' | 'taken'>
  /** False when the group has no such record. */
  remove(groupGuid: string, guid: string): Promise<boolean>
  /** All of the group, in the order of their kind. */
  list(groupGuid: string): Promise<readonly GroupRecord<Fields>[]>
}

interface Identity {
  readonly guid: string
  readonly groupGuid: string
  readonly createdBy: string
}

export type GroupRecord<Fields> = Fields & Identity & { readonly createdAt: number; readonly modifiedAt: number }

export type NewGroupRecord<Fields> = Fields &
  Identity & {
    readonly at: number
    /** Maximum number of such records of the group, including this one. */
    readonly limit: number
  }

export const utmParameters = ['source', 'medium', 'campaign', 'term', 'content'] as const

/** What is added to the query of a long URL: `utm_source` and so on. Empty parameters are left out. */
type UtmParameters = { readonly [Name in (typeof utmParameters)[number]]: string }

export interface UtmTemplateFields extends UtmParameters {
  /** Unique in the group. */
  readonly name: string
}

/** In order of name. */
export type UtmTemplateStore = GroupRecordStore<UtmTemplateFields>

export const viewPages = ['links', 'analytics', 'link', 'campaign'] as const

export interface ViewFields {
  /** Unique among the views of the page in the group. */
  readonly name: string
  readonly page: (typeof viewPages)[number]
  /** What follows the question mark in the URL of the page. */
  readonly query: string
}

/** In order of name. */
export type ViewStore = GroupRecordStore<ViewFields>

export interface AnnotationFields {
  readonly happenedAt: number
  readonly text: string
}

/** Newest first. */
export type AnnotationStore = GroupRecordStore<AnnotationFields>
