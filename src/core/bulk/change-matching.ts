/** One change to all links of a group that match a filter: a job, whose file is written here (docs/api/bulk.md#all-that-match). */
import { csvRow } from '../../lib/csv.js'
import type { Actor, WriterMembership } from '../accounts/actor.js'
import { type BulkAction, readBulkChange } from '../links/bulk.js'
import type { BulkChange, LinkFilter, Position } from '../links/link-store.js'
import { type LinkFilterInput, type ListDeps, linkFilterOf } from '../links/list.js'
import { Refusal } from '../values/refusal.js'
import type { BulkJob } from './job.js'
import { addJob, type JobDeps } from './jobs.js'

export type ChangeMatchingDeps = JobDeps & ListDeps

export interface MatchingChange extends Omit<BulkAction, 'action'> {
  readonly action: BulkAction['action'] | 'delete'
  /** Nothing is done when more links match. */
  readonly maxLinks: number
  /** Of the job. */
  readonly name: string
}

/** Those that match now; the job takes its time. */
export async function changeMatching(
  deps: ChangeMatchingDeps,
  actor: Actor,
  group: WriterMembership,
  wanted: LinkFilterInput,
  input: MatchingChange,
): Promise<BulkJob> {
  const { action, name, maxLinks } = input
  const columns = action === 'delete' ? {} : columnsOf(readBulkChange({ ...input, action }))
  const filter = await linkFilterOf(deps, actor, group.groupGuid, wanted)
  return addJob(deps, actor, group, fileOf(deps, group.groupGuid, filter, columns, maxLinks), {
    action: action === 'delete' ? 'delete' : 'edit',
    domain: undefined,
    strict: false,
    name,
  })
}

/** What each row of the file says. */
function columnsOf(change: BulkChange): Readonly<Record<string, string>> {
  if ('archived' in change) return { archived: String(change.archived) }
  return { add_tags: change.addTags.join(';'), remove_tags: change.removeTags.join(';') }
}

/** Lists read short steps anyway; a page of this many is a piece of the file. */
const linksPerPage = 500

async function* fileOf(
  { links, domains }: Pick<ListDeps, 'links' | 'domains'>,
  groupGuid: string,
  filter: LinkFilter | undefined,
  columns: Readonly<Record<string, string>>,
  maxLinks: number,
): AsyncGenerator<Buffer> {
  yield Buffer.from(csvRow(['link', ...Object.keys(columns)]))
  if (!filter) return
  let after: Position | undefined
  for (let count = 0, more = true; more; ) {
    const page = await links.page({ groupGuid, filter, after, size: linksPerPage })
    count += page.items.length
    if (count > maxLinks) throw tooMany(maxLinks)
    yield Buffer.from(page.items.map(({ id }) => csvRow([domains.shown(id), ...Object.values(columns)])).join(''))
    after = page.items.at(-1)
    more = page.more
  }
}

function tooMany(maxLinks: number): Refusal {
  const message = `More than ${maxLinks} short links match. None of them was changed. Check the filter, or send a larger max_links.`
  return new Refusal('CONFLICT', message, { resource: 'shortlinks', field: 'max_links' })
}
