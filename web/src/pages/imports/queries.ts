import { infiniteQueryOptions } from '@tanstack/react-query'
import { api, ask } from '../../api/client.js'
import type { components } from '../../api/schema.js'
import { csvRows } from '../../parts/csv.js'

export type Job = components['schemas']['BulkJob']
/** What an uploaded file may do here. */
export type Action = Extract<Job['action'], 'create' | 'edit'>

export function isOpen({ state }: Pick<Job, 'state'>): boolean {
  return state === 'waiting' || state === 'running'
}

/** Newest first; asked for again while one of them is not at its end. */
export function jobsQuery(group: string) {
  return infiniteQueryOptions({
    queryKey: ['groups', group, 'bulk-jobs'],
    queryFn: ({ pageParam }) => {
      const query = { group_guid: group, size: 50, ...(pageParam && { search_after: pageParam }) }
      return ask(api.GET('/v4/bulk/jobs', { params: { query } }))
    },
    initialPageParam: '',
    getNextPageParam: ({ pagination }) => pagination.search_after || undefined,
    refetchInterval: ({ state }) => (state.data?.pages.some(({ jobs }) => jobs.some(isOpen)) ? 1000 : false),
  })
}

/** Newest first; asked for again while one of them is not at its end. */
export function exportsQuery(group_guid: string) {
  return infiniteQueryOptions({
    queryKey: ['groups', group_guid, 'exports'],
    queryFn: ({ pageParam }) => {
      const query = { size: 50, ...(pageParam && { search_after: pageParam }) }
      return ask(api.GET('/v4/groups/{group_guid}/exports', { params: { path: { group_guid }, query } }))
    },
    initialPageParam: '',
    getNextPageParam: ({ pagination }) => pagination.search_after || undefined,
    refetchInterval: ({ state }) => (state.data?.pages.some(({ exports }) => exports.some(isOpen)) ? 1000 : false),
  })
}

interface Upload {
  readonly action: Action
  readonly group: string
  /** Of rows that name none. */
  readonly domain: string | undefined
  readonly strict: boolean
}

/** The service looks into the file itself, so any of its types will do. */
export function sendFile(file: File, { action, group, domain, strict }: Upload): Promise<Job> {
  return ask(
    api.POST('/v4/bulk/jobs', {
      params: { query: { action, group_guid: group, name: file.name, strict, ...(domain && { domain }) } },
      body: file.name,
      bodySerializer: () => file,
      headers: { 'content-type': 'application/octet-stream' },
    }),
  )
}

export async function resultOf(job_guid: string): Promise<Blob> {
  const answer = api.GET('/v4/bulk/jobs/{job_guid}/result', {
    params: { path: { job_guid } },
    headers: { accept: 'text/csv' },
    parseAs: 'blob',
  })
  return (await ask(answer as Promise<{ data?: Blob; response: Response }>)) as Blob
}

/** The short links in the result of a job, in the order of its file. */
export async function linksOf(job_guid: string): Promise<readonly string[]> {
  const [header, ...rows] = csvRows(await (await resultOf(job_guid)).text())
  const at = header?.cells.lastIndexOf('link') ?? -1
  return rows.flatMap(({ cells }) => cells[at] || [])
}
