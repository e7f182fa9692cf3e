/** Views: the filters of a page of the dashboard under a name, for everybody in the group. */
import type { AuditDeps } from '../accounts/audit.js'
import { isPlain, requireName } from '../values/names.js'
import { invalid } from '../values/refusal.js'
import { type ViewFields, type ViewStore, viewPages } from './group-record-store.js'
import type { RecordKind } from './group-records.js'

const maxViews = 100
export const maxViewQuery = 2000

export type ViewInput = { readonly [Field in keyof ViewFields]?: string | undefined }

export interface ViewDeps extends AuditDeps {
  readonly views: ViewStore
}

export function viewKind({ views, clock, audit }: ViewDeps): RecordKind<ViewFields> {
  const names = { guid: 'view', resource: 'views', one: 'view', field: 'name' } as const
  const audited = { as: 'view', nameOf: ({ name }: ViewFields) => name } as const
  return { store: views, clock, audit, ...names, limit: maxViews, audited }
}

export function newView({ name = '', page = '', query = '' }: ViewInput): ViewFields {
  const known = viewPages.find((each) => each === page)
  if (!known) throw invalid('page', `Send a page: ${viewPages.join(' or ')}.`, 'views')
  return { name: requireName(name, 'views'), page: known, query: requireQuery(query) }
}

/** The page stays. */
export function changedView({ name, query }: Omit<ViewInput, 'page'>): Partial<ViewFields> {
  return {
    ...(name !== undefined && { name: requireName(name, 'views') }),
    ...(query !== undefined && { query: requireQuery(query) }),
  }
}

function requireQuery(query: string): string {
  if (!isPlain(query, maxViewQuery)) {
    throw invalid('query', `A query has at most ${maxViewQuery} characters, and no control characters.`, 'views')
  }
  return query.replace(/^\?/, '')
}
