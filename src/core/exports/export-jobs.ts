/**
 * Exports of any size, as jobs that write a CSV file in steps (docs/api/exports.md): the links of a group that match, or single
 * engagements. The edges say what a line is.
 */
import { type Actor, requireGroup, requireWriter } from '../accounts/actor.js'
import { type AuditDeps, addAuditEntry } from '../accounts/audit.js'
import { type BulkJob, type ExportAction, exportActions, type JobStep } from '../bulk/job.js'
import {
  cancelJob,
  type JobDeps,
  type JobFiles,
  type ListedJobs,
  listJobs,
  readJob,
  removeJob,
  storeJob,
} from '../bulk/jobs.js'
import type { StepAction } from '../bulk/run-jobs.js'
import type { ClickPlace } from '../clicks/metrics-query.js'
import { requireFeature } from '../limits/plans.js'
import { isCustomShortlink } from '../links/keywords.js'
import type { Link } from '../links/link.js'
import type { LinkFilter, Position } from '../links/link-store.js'
import { countLimit, type LinkFilterInput, linkFilterOf } from '../links/list.js'
import { type LastEngagement, maxClicksInFile, readClicksOfFile, requireClickRows } from '../metrics/last-clicks.js'
import { type ReportDeps, reportTotal } from '../metrics/report.js'
import type { ReportInput } from '../metrics/report-subject.js'
import { Refusal } from '../values/refusal.js'
import {
  addressesFrom,
  countEngagements,
  type ExportDeps,
  type ExportedRow,
  type ExportWindow,
  namedLinks,
  noEngagements,
  windowOf,
} from './export.js'

export type ExportJobDeps = ExportDeps & AuditDeps & JobDeps & ReportDeps

export interface LinksExportInput {
  /** The ids of some links, instead of a filter. */
  readonly shortlinks: readonly string[] | undefined
  readonly filter: LinkFilterInput
  readonly includeMetrics: boolean
  /** Epoch seconds, for engagements. */
  readonly unixFrom: number | undefined
  readonly unixTo: number | undefined
  /** The first line of the file. */
  readonly header: string
}

/** What is stored of it. */
interface LinksExport {
  readonly header: string
  /** Undefined: no link can match. */
  readonly filter: LinkFilter | undefined
  readonly addresses: readonly string[] | undefined
  readonly window: ExportWindow | undefined
}

interface ClicksExport {
  readonly header: string
  readonly report: ReportInput
}

export async function exportLinks(
  deps: ExportJobDeps,
  actor: Actor,
  groupGuid: string,
  input: LinksExportInput,
): Promise<BulkJob> {
  const { organizationGuid } = requireGroup(actor, groupGuid)
  requireFeature(deps, organizationGuid, 'exports')
  const { shortlinks, header } = input
  const addresses = shortlinks && addressesFrom(deps, shortlinks)
  // An unknown one is refused now.
  if (addresses) await namedLinks(deps, groupGuid, addresses, addresses.length)
  const filter = addresses ? undefined : await linkFilterOf(deps, actor, groupGuid, input.filter)
  const window = input.includeMetrics ? windowOf(input, deps.clock.now()) : undefined
  const wanted: LinksExport = { header, filter, addresses, window }
  return addExport(deps, actor, groupGuid, 'export_links', wanted)
}

/** Single engagements, newest first. */
export async function exportClicks(
  deps: ExportJobDeps,
  actor: Actor,
  report: ReportInput,
  header: string,
): Promise<BulkJob> {
  const { groupGuid } = report.subject
  if (groupGuid === undefined) throw new Error('only reports about what a group owns can be exported')
  requireClickRows(deps, report)
  const wanted: ClicksExport = { header, report }
  return addExport(deps, actor, groupGuid, 'export_clicks', wanted)
}

async function addExport(
  deps: ExportJobDeps,
  actor: Actor,
  groupGuid: string,
  action: ExportAction,
  input: LinksExport | ClicksExport,
): Promise<BulkJob> {
  const group = requireGroup(actor, groupGuid)
  const job = await storeJob(deps, actor, group, { action, input })
  const { organizationGuid } = group
  const details = { export: job.guid, type: exportTypeOf(action) }
  const entry = { login: actor.login, organizationGuid, subject: groupGuid, details }
  await addAuditEntry(deps, { action: 'export_made', ...entry })
  return job
}

export const exportJobTypes = ['links', 'engagements'] as const

export function exportTypeOf(action: BulkJob['action']): (typeof exportJobTypes)[number] {
  return action === 'export_clicks' ? 'engagements' : 'links'
}

export function readExport(deps: Pick<JobDeps, 'bulkJobs'>, actor: Actor, guid: string): Promise<BulkJob> {
  return readJob(deps, actor, guid, exportActions)
}

export function listExports(
  deps: Pick<JobDeps, 'bulkJobs'>,
  actor: Actor,
  groupGuid: string,
  page: Parameters<typeof listJobs>[3],
): Promise<ListedJobs> {
  return listJobs(deps, actor, groupGuid, page, exportActions)
}

/** Like `readExport`, for those who may cancel and delete it: who made it, and who may change the group. */
export async function ownExport(deps: Pick<JobDeps, 'bulkJobs'>, actor: Actor, guid: string): Promise<BulkJob> {
  const job = await readExport(deps, actor, guid)
  if (job.createdBy !== actor.login) requireWriter(actor, job.groupGuid)
  return job
}

/** What was written until then is deleted with the export. `job` comes from `ownExport`. */
export const cancelExport = cancelJob

/** Deletes the export with its file. `job` comes from `ownExport`. */
export const removeExport = removeJob

/** The bytes of its file. */
export function exportedFile({ jobFiles }: Pick<JobDeps, 'jobFiles'>, job: BulkJob): AsyncIterable<Uint8Array> {
  if (job.state === 'done') return jobFiles.read(job.parts)
  const message = {
    waiting: 'The export is not finished. Ask for its state, and fetch the file when it is done.',
    running: 'The export is not finished. Ask for its state, and fetch the file when it is done.',
    failed: 'The export failed, so it has no file. Start it again.',
    cancelled: 'The export was cancelled, so it has no file. Start it again.',
  }[job.state]
  throw new Refusal('CONFLICT', message, { resource: 'exports' })
}

export type ExportStepDeps = ExportDeps &
  ReportDeps & {
    readonly jobFiles: Pick<JobFiles, 'write'>
    /** A line of CSV, with its end. */
    readonly linkLine: (row: ExportedRow) => string
    readonly clickLine: (click: LastEngagement) => string
  }

/** One page of a list blocks SQLite for some milliseconds. */
const linksPerPage = 500
/** About a part of a file. */
const linksPerStep = 4_000
const maxLinks = 1_000_000

export function exportSteps(deps: ExportStepDeps): Readonly<Record<ExportAction, StepAction>> {
  /** Its part of the file is stored before the transaction of the step begins. */
  async function stepOf(lines: readonly string[], step: Omit<JobStep, 'file'>): Promise<() => Promise<JobStep>> {
    const file = await deps.jobFiles.write(pieces([Buffer.from(lines.join(''))]))
    return async () => ({ ...step, file })
  }

  async function linkLines(actor: Actor, groupGuid: string, { window }: LinksExport, links: readonly Link[]) {
    const found = links.map((link) => ({ address: link.id, link }))
    if (!window) return found.map((row) => deps.linkLine({ ...row, engagements: undefined }))
    // The report on a custom short link requires this feature too.
    if (links.some((link) => isCustomShortlink(deps, link.id, link))) {
      requireFeature(deps, requireGroup(actor, groupGuid).organizationGuid, 'custom_links')
    }
    const counts = await countEngagements(deps, found, window)
    return found.map((row) => deps.linkLine({ ...row, engagements: counts.get(row.address) ?? noEngagements }))
  }

  return {
    export_links: {
      async prepare(actor, { groupGuid, rowsDone }, { input, place }, signal) {
        const { organizationGuid } = requireGroup(actor, groupGuid)
        requireFeature(deps, organizationGuid, 'exports')
        const wanted = input as LinksExport
        const { filter, addresses } = wanted
        const lines: string[] = place === undefined ? [wanted.header] : []
        const begun = lines.length
        if (addresses) {
          const links = await deps.links.linksAt(groupGuid, addresses)
          const chosen = addresses.flatMap((address) => links.get(address) ?? [])
          lines.push(...(await linkLines(actor, groupGuid, wanted, chosen)))
          return stepOf(lines, { rows: chosen.length, place: undefined })
        }
        if (!filter) return stepOf(lines, { rows: 0, place: undefined })
        const counted = place === undefined ? await deps.links.count(groupGuid, filter, countLimit) : undefined
        let after = place as Position | undefined
        let left = Math.min(linksPerStep, maxLinks - rowsDone)
        for (let more = true; more && left > 0; ) {
          signal.throwIfAborted()
          const page = await deps.links.page({ groupGuid, filter, after, size: Math.min(linksPerPage, left) })
          lines.push(...(await linkLines(actor, groupGuid, wanted, page.items)))
          left -= page.items.length
          const last = page.items.at(-1)
          more = page.more
          after = more && last ? { createdAt: last.createdAt, id: last.id } : undefined
        }
        const rows = lines.length - begun
        return stepOf(lines, {
          rows,
          place: rowsDone + rows < maxLinks ? after : undefined,
          rowsTotal: counted?.isExact ? Math.min(counted.count, maxLinks) : undefined,
        })
      },
    },

    export_clicks: {
      async prepare(actor, { groupGuid, rowsDone }, { input, place }) {
        requireGroup(actor, groupGuid)
        const { header, report } = input as ClicksExport
        const isFirst = place === undefined
        const left = maxClicksInFile - rowsDone
        const total = isFirst ? await reportTotal(deps, { ...report, measure: 'events' }) : undefined
        const { items, next } = await readClicksOfFile(deps, report, left, place as ClickPlace | undefined)
        return stepOf([...(isFirst ? [header] : []), ...items.map(deps.clickLine)], {
          rows: items.length,
          place: items.length < left ? next : undefined,
          rowsTotal: total === undefined ? undefined : Math.min(total, maxClicksInFile),
        })
      },
    },
  }
}

async function* pieces(bytes: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* bytes
}
