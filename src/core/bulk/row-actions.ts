/** What jobs do with their rows: create, change or delete links. */
import type { Actor } from '../accounts/actor.js'
import type { Link } from '../links/link.js'
import { isTrue } from '../links/link-fields.js'
import { type FindDeps, namedAddress, namedLink } from '../links/read.js'
import { type RemoveDeps, removeLink } from '../links/remove.js'
import { distinctTags } from '../links/tags.js'
import { type UpdateDeps, type UpdateInput, updateLink } from '../links/update.js'
import { invalid, isOutage, Refusal } from '../values/refusal.js'
import type { TableRow } from '../values/table.js'
import { type CreateLinksDeps, createLinks, type RowResult } from './create-links.js'
import type { FileAction, RowOutcome } from './job.js'
import type { RowAction } from './run-jobs.js'
import { newLinkColumns, newLinkRow, tagsIn } from './table-rows.js'

export interface RowActionDeps extends CreateLinksDeps, UpdateDeps, RemoveDeps {
  readonly links: CreateLinksDeps['links'] & UpdateDeps['links'] & FindDeps['links'] & RemoveDeps['links']
  /** Code and sentence of an error, as a request would have got it. */
  readonly describe: (refusal: Refusal) => string
}

export function rowActions(deps: RowActionDeps): Readonly<Record<FileAction, RowAction>> {
  return {
    create: {
      required: newLinkColumns,
      async run(actor, { domain, strict }, rows) {
        const wanted = rows.map((row) => newLinkRow(row, { domain }))
        const results = await createLinks(deps, actor, wanted, { strict })
        return results.map((result) => outcomeOf(deps, result))
      },
    },
    edit: eachLink(deps, editLink),
    delete: eachLink(deps, deleteLink),
  }
}

/** One after the other. `change` returns the address of the link in the result. */
function eachLink(
  deps: RowActionDeps,
  change: (deps: RowActionDeps, actor: Actor, row: TableRow) => Promise<string>,
): RowAction {
  const outcomeOfRow = async (actor: Actor, row: TableRow): Promise<RowOutcome> => {
    try {
      if (row.problem !== undefined) throw new Refusal('UNPROCESSABLE_ENTITY', row.problem)
      return { kind: 'changed', link: await change(deps, actor, row), note: '', error: '' }
    } catch (error) {
      if (!(error instanceof Refusal) || isOutage(error)) throw error
      return { kind: 'refused', link: '', note: '', error: deps.describe(error) }
    }
  }
  return {
    required: ['link'],
    async run(actor, _job, rows) {
      const outcomes: RowOutcome[] = []
      for (const row of rows) outcomes.push(await outcomeOfRow(actor, row))
      return outcomes
    },
  }
}

function outcomeOf({ describe }: RowActionDeps, result: RowResult): RowOutcome {
  if ('refusal' in result) return { kind: 'refused', link: '', note: '', error: describe(result.refusal) }
  const { link, created, note = '' } = result
  return { kind: created ? 'created' : 'changed', link: shownAddress(link), note, error: '' }
}

/** The newest back-half that was chosen, or else the hash. */
function shownAddress({ keywords, id }: Link): string {
  return keywords[0] ?? id
}

/** By the rules of a single edit. */
async function editLink(deps: RowActionDeps, actor: Actor, row: TableRow): Promise<string> {
  const change = changeIn(row)
  const { link, address } = await namedAddress(deps, actor, row.get('link'), 'link')
  await updateLink(deps, actor, link, change)
  return address
}

/** By the rules of a single deletion. */
async function deleteLink(deps: RowActionDeps, actor: Actor, row: TableRow): Promise<string> {
  const link = await namedLink(deps, actor, row.get('link'))
  await removeLink(deps, actor, link)
  return link.id
}

/** An empty cell leaves its field as it is, unless the row says that it is to be emptied. */
function changeIn(row: TableRow): UpdateInput {
  const archived = row.get('archived')
  if (!/^(?:true|false|yes|no|1|0)?$/i.test(archived)) throw invalid('archived', 'Write archived as true or false.')
  const cleared = clearedIn(row)
  const tags = cleared.has('tags') ? [] : tagsIn(row.get('tags'))
  const tagsOf = (column: string) => distinctTags(tagsIn(row.get(column)) ?? [], column)
  const tagEdit = { addTags: tagsOf('add_tags'), removeTags: tagsOf('remove_tags') }
  if (tags && row.get('add_tags') + row.get('remove_tags') !== '') {
    throw invalid('tags', 'The row has new tags, and adds or removes some.')
  }
  return {
    title: cleared.has('title') ? '' : row.get('title') || undefined,
    tags,
    tagEdit,
    longUrl: row.get('long_url') || undefined,
    ...(archived !== '' && { archived: isTrue(archived) }),
  }
}

const clearable = ['title', 'tags']

function clearedIn(row: TableRow): ReadonlySet<string> {
  const names = new Set(tagsIn(row.get('clear').toLowerCase()))
  for (const name of names) {
    if (!clearable.includes(name))
      throw invalid('clear', `Only ${clearable.join(' and ')} can be cleared, not "${name}".`)
    if (row.get(name) !== '') throw invalid('clear', `The row has a new ${name}, and clears it.`)
  }
  return names
}
