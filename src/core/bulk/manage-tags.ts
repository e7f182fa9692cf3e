/**
 * Changes and deletes the tags of a group (docs/api/groups.md#group-tags): at once where few things have the tag, otherwise as a
 * job, in steps for which nobody has to wait.
 */
import { isLonger } from '../../lib/is-longer.js'
import { type Actor, requireWriter, type WriterMembership } from '../accounts/actor.js'
import { type AuditDeps, addAuditEntry } from '../accounts/audit.js'
import type { ChangeContext } from '../links/link.js'
import type { TagChange, TagDetails, TagStore } from '../links/tag-store.js'
import { maxTagDescription, readTag, type TagColor, tagSpelling } from '../links/tags.js'
import { invalid, quoted, Refusal } from '../values/refusal.js'
import type { BulkJob, TagAction } from './job.js'
import { type JobDeps, storeJob } from './jobs.js'
import type { StepAction } from './run-jobs.js'

export interface TagDeps extends AuditDeps, Pick<JobDeps, 'bulkJobs' | 'jobAdded'> {
  readonly tags: TagStore
}

export interface TagInput {
  readonly name: string | undefined
  readonly merge: boolean | undefined
  readonly color: TagColor | undefined
  readonly description: string | undefined
}

export async function updateTag(
  deps: TagDeps,
  actor: Actor,
  group: WriterMembership,
  text: string,
  input: TagInput,
): Promise<TagDetails | BulkJob> {
  const { groupGuid, organizationGuid } = group
  const tag = tagSpelling(text)
  const change: TagChange = {
    ...(input.name !== undefined && { name: readTag(input.name, 'name') }),
    ...(input.merge !== undefined && { merge: input.merge }),
    ...(input.color !== undefined && { color: input.color }),
    ...(input.description !== undefined && { description: readDescription(input.description) }),
  }
  const { name = tag } = change
  const renaming = { action: 'tag_renamed', login: actor.login, organizationGuid, subject: groupGuid } as const
  const known = name === tag ? [] : await deps.tags.list(groupGuid)
  if (isUsedByMany(known, tag)) {
    if (!change.merge && known.some((each) => each.name === name)) throw taken(name)
    const job = await addTagJob(deps, actor, group, 'rename_tag', { tag, change: { ...change, name } })
    await addAuditEntry(deps, { ...renaming, details: { tag, name } })
    return job
  }
  const updated = await deps.tags.update(groupGuid, tag, change, contextOf(deps, actor))
  if (updated === 'missing') throw notFound(tag)
  if (updated === 'taken') throw taken(change.name ?? '')
  if (updated.name !== tag) await addAuditEntry(deps, { ...renaming, details: { tag, name } })
  return updated
}

export async function removeTag(
  deps: TagDeps,
  actor: Actor,
  group: WriterMembership,
  text: string,
): Promise<BulkJob | undefined> {
  const { groupGuid, organizationGuid } = group
  const tag = tagSpelling(text)
  const isLong = isUsedByMany(await deps.tags.list(groupGuid), tag)
  const job = isLong ? await addTagJob(deps, actor, group, 'delete_tag', { tag, change: {} }) : undefined
  if (!job && !(await deps.tags.remove(groupGuid, tag, contextOf(deps, actor)))) throw notFound(tag)
  const entry = { login: actor.login, organizationGuid, subject: groupGuid, details: { tag } }
  await addAuditEntry(deps, { action: 'tag_removed', ...entry })
  return job
}

// They change in one transaction, for which others wait: 100,000 took PostgreSQL up to 46 s.
const maxAtOnce = 1_000

function isUsedByMany(known: readonly TagDetails[], tag: string): boolean {
  const found = known.find(({ name }) => name === tag)
  return found !== undefined && found.links + found.qrCodes > maxAtOnce
}

interface TagJob {
  readonly tag: string
  /** Without a name: everything loses the tag. */
  readonly change: TagChange
}

function addTagJob(deps: TagDeps, actor: Actor, group: WriterMembership, action: TagAction, input: TagJob) {
  const { tag, change } = input
  const name = change.name === undefined ? tag : `${tag} → ${change.name}`
  return storeJob(deps, actor, group, { action, input, name })
}

// A statement on so many takes SQLite about two milliseconds.
const itemsPerStep = 200

export function tagSteps(deps: Pick<TagDeps, 'tags' | 'clock'>): Readonly<Record<TagAction, StepAction>> {
  const step: StepAction = {
    async prepare(actor, { groupGuid }, { input, place }) {
      requireWriter(actor, groupGuid)
      const { tag, change } = input as TagJob
      const found = place === undefined ? (await deps.tags.list(groupGuid)).find(({ name }) => name === tag) : undefined
      // The name was free at the request, and may be another tag's now. After the first step it is the job's own.
      const wanted = place === undefined ? change : { ...change, merge: true }
      return async () => {
        const context = contextOf(deps, actor)
        const replaced = await deps.tags.replaceSome(groupGuid, tag, wanted, itemsPerStep, context)
        if (replaced === 'taken') throw taken(change.name ?? '')
        const rowsTotal = found && found.links + found.qrCodes
        return { rows: replaced.items, place: replaced.more ? 'more' : undefined, rowsTotal }
      }
    },
  }
  return { rename_tag: step, delete_tag: step }
}

function contextOf({ clock }: Pick<TagDeps, 'clock'>, { login, clientId }: Actor): ChangeContext {
  return { login, clientId, at: clock.now() }
}

function readDescription(text: string): string {
  const description = text.trim()
  if (isLonger(description, maxTagDescription) || /[\p{Cc}\p{Cs}]/u.test(description)) {
    const message = `A description of a tag has at most ${maxTagDescription} characters and no control characters.`
    throw invalid('description', message, 'tags')
  }
  return description
}

function taken(name: string): Refusal {
  const message =
    `The group already has a tag ${quoted(name)}. Choose another name, or send "merge": true to merge both: ` +
    'then everything with either tag has that one.'
  return new Refusal('CONFLICT', message, { resource: 'tags', field: 'name' })
}

function notFound(tag: string): Refusal {
  return new Refusal('NOT_FOUND', `No short link or QR code of the group has a tag ${quoted(tag)}.`, {
    resource: 'tags',
  })
}
