import { infiniteQueryOptions } from '@tanstack/react-query'
import { api, ask } from '../../api/client.js'
import type { operations } from '../../api/schema.js'
import { csvText } from '../../parts/csv.js'
import { downloadBlob } from '../../parts/download.js'
import { actionsOf, kindOf } from './audit-kinds.js'
import type { SettingsSearch } from './search.js'

export type AuditEntry =
  operations['listAuditLog']['responses'][200]['content']['application/json']['audit_log'][number]

type AuditSearch = Pick<SettingsSearch, 'login' | 'subject' | 'kind' | 'action' | 'from' | 'to'>

function filtersOf({ login, subject, action, from, to, ...search }: AuditSearch) {
  const kind = kindOf(search.kind)
  const actions = action ? [action] : kind && [...actionsOf(kind)]
  return {
    ...(login && { login }),
    // As it is copied: a short link may begin with its scheme.
    ...(subject && { subject: subject.trim().replace(/^https?:\/\//, '') }),
    ...(actions && { action: actions }),
    // Whole days, as they are where the person is.
    ...(from && { created_after: startOf(from, 0) }),
    ...(to && { created_before: startOf(to, 1) }),
  }
}

function startOf(day: string, later: number): number {
  const start = new Date(`${day}T00:00`)
  start.setDate(start.getDate() + later)
  return Math.floor(start.getTime() / 1000)
}

function readPage(organization_guid: string, search: AuditSearch, size: number, search_after: string) {
  const query = { ...filtersOf(search), size, ...(search_after && { search_after }) }
  const params = { path: { organization_guid }, query }
  return ask(api.GET('/v4/organizations/{organization_guid}/audit_log', { params }))
}

/** Not read again when the window gets the focus: the rows would move under the reader's eyes. */
export function auditQuery(organization: string, search: AuditSearch) {
  return infiniteQueryOptions({
    queryKey: ['organizations', organization, 'audit_log', search],
    queryFn: ({ pageParam }) => readPage(organization, search, 50, pageParam),
    initialPageParam: '',
    getNextPageParam: ({ pagination }) => pagination.search_after || undefined,
    refetchOnWindowFocus: false,
  })
}

const maxExported = 10_000

/** Saves all entries that the filters select, page by page. Returns how many, and whether there are more. */
export async function exportAudit(organization: string, search: AuditSearch) {
  const entries: AuditEntry[] = []
  let after = ''
  do {
    const { audit_log, pagination } = await readPage(organization, search, 100, after)
    entries.push(...audit_log)
    after = pagination.search_after
  } while (after !== '' && entries.length < maxExported)
  const names = ['created', 'action', 'login', 'account', 'subject', 'ip_address'] as const
  const rows = entries.map((entry) => [...names.map((name) => entry[name] ?? ''), JSON.stringify(entry.details)])
  downloadBlob(new Blob([csvText([[...names, 'details'], ...rows])], { type: 'text/csv' }), 'audit-log.csv')
  return { count: entries.length, isTruncated: after !== '' }
}
