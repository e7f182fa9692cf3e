/**
 * Stores UTM templates. Each method is one atomic step; utm-template-store.contract.ts defines the behaviour. Fields are
 * validated before they get here.
 */
export interface UtmTemplateStore {
  /** `taken`: another template of the group has this name. */
  add(template: NewUtmTemplate): Promise<'added' | 'no-group' | 'taken' | 'too-many'>
  /** Changes the fields that are not undefined, and returns the whole template. */
  update(
    groupGuid: string,
    guid: string,
    change: Partial<UtmTemplateFields>,
    at: number,
  ): Promise<UtmTemplate | 'missing' | 'taken'>
  /** False when the group has no such template. */
  remove(groupGuid: string, guid: string): Promise<boolean>
  /** All templates of the group, by name. */
  list(groupGuid: string): Promise<readonly UtmTemplate[]>
}

export const utmParameters = ['source', 'medium', 'campaign', 'term', 'content'] as const

/** What is added to the query of a long URL: `utm_source` and so on. Empty parameters are left out. */
type UtmParameters = { readonly [Name in (typeof utmParameters)[number]]: string }

export interface UtmTemplateFields extends UtmParameters {
  /** Unique in the group. */
  readonly name: string
}

export interface NewUtmTemplate extends UtmTemplateFields {
  readonly guid: string
  readonly groupGuid: string
  readonly createdBy: string
  readonly at: number
  /** Maximum number of templates of the group, including this one. */
  readonly limit: number
}

export interface UtmTemplate extends UtmTemplateFields {
  readonly guid: string
  readonly groupGuid: string
  readonly createdBy: string
  readonly createdAt: number
  readonly modifiedAt: number
}
