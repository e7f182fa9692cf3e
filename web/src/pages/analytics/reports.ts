/** The reports of the API behind the numbers. Links, groups, campaigns and QR codes have the same ones. */
import { ApiError, api, ask } from '../../api/client.js'
import type { components, operations } from '../../api/schema.js'
import { asDate } from '../../parts/format.js'
import type { Dimension } from './dimensions.js'

/** All links of a group, or a part of it. */
export interface Subject {
  readonly group: string
  readonly link?: { readonly domain: string; readonly hash: string }
  readonly campaign?: string
  readonly code?: string
  /** In which days begin; that of the person by default. */
  readonly zone?: string
}

export type Row = components['schemas']['EngagementRows']['metrics'][number]

type LatestQuery = NonNullable<operations['getCampaignMetricsLatest']['parameters']['query']>

type Query = NonNullable<operations['getCampaignMetricsBy']['parameters']['query']>

export function totals(subject: Subject, query: Query) {
  const { base, path } = placeOf(subject)
  return ask(api.GET(base, { params: { path, query } }))
}

/** Oldest first. */
export async function series(subject: Subject, query: Query) {
  const { base, path } = placeOf(subject)
  const { data } = await ask(api.GET(`${base}/over_time`, { params: { path, query } }))
  return data.map(({ ts, count }) => ({ start: asDate(ts), count })).reverse()
}

/** Of 168 hours, from Monday midnight on. */
export async function hoursOfWeek(subject: Subject, query: Query) {
  const { base, path } = placeOf(subject)
  const { hours } = await ask(api.GET(`${base}/hours_of_week`, { params: { path, query } }))
  return hours.map(({ count }) => count)
}

/** Newest first. */
export async function latest(subject: Subject, query: LatestQuery) {
  const { base, path } = placeOf(subject)
  return ask(api.GET(`${base}/latest`, { params: { path, query } }))
}

export async function rows(subject: Subject, dimension: Dimension, query: Query) {
  const { base, path } = placeOf(subject)
  return ask(api.GET(`${base}/{dimension}`, { params: { path: { ...path, dimension }, query } }))
}

/** All of them, in the background. */
export function exportLatest(subject: Subject, query: Query) {
  const { base, path } = placeOf(subject)
  return ask(api.POST(`${base}/latest/exports`, { params: { path, query } }))
}

export type CsvName = Dimension | 'over_time' | 'hours_of_week'

export async function csv(subject: Subject, dimension: CsvName, query: Query): Promise<Blob> {
  const { base, path } = placeOf(subject)
  const answer = await api.GET(`${base}/{dimension}`, {
    params: { path: { ...path, dimension: dimension as Dimension }, query },
    headers: { accept: 'text/csv' },
    parseAs: 'blob',
  })
  if (!answer.response.ok) throw new ApiError(answer.response.status, 'CSV', '', [])
  return answer.data as unknown as Blob
}

/** As if all were campaigns, which have everything that the others have. */
function placeOf({ group, link, campaign, code }: Subject) {
  const [base, path] = link
    ? ['/v4/shortlinks/{domain}/{hash}/metrics', link]
    : campaign
      ? ['/v4/campaigns/{campaign_guid}/metrics', { campaign_guid: campaign }]
      : code
        ? ['/v4/qr-codes/{qrcode_id}/metrics', { qrcode_id: code }]
        : ['/v4/groups/{group_guid}/metrics', { group_guid: group }]
  return { base: base as '/v4/campaigns/{campaign_guid}/metrics', path: path as { campaign_guid: string } }
}
