/** Lists, changes and deletes the tags of a group. Readers see them, all others change them (docs/api/groups.md#group-tags). */
import { isLonger } from '../../lib/is-longer.js'
import type { Actor, WriterMembership } from '../accounts/actor.js'
import { type AuditDeps, addAuditEntry } from '../accounts/audit.js'
import { invalid, quoted, Refusal } from '../values/refusal.js'
import type { ChangeContext } from './link.js'
import type { TagChange, TagDetails, TagStore } from './tag-store.js'
import { maxTagDescription, readTag, type TagColor, tagSpelling } from './tags.js'

export interface TagDeps extends AuditDeps {
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
  { groupGuid, organizationGuid }: WriterMembership,
  text: string,
  input: TagInput,
): Promise<TagDetails> {
  const tag = tagSpelling(text)
  const change: TagChange = {
    ...(input.name !== undefined && { name: readTag(input.name, 'name') }),
    ...(input.merge !== undefined && { merge: input.merge }),
    ...(input.color !== undefined && { color: input.color }),
    ...(input.description !== undefined && { description: readDescription(input.description) }),
  }
  if (change.name !== undefined && change.name !== tag) await requireFew(deps, groupGuid, tag)
  const updated = await deps.tags.update(groupGuid, tag, change, contextOf(deps, actor))
  if (updated === 'missing') throw notFound(tag)
  if (updated === 'taken') throw taken(change.name ?? '')
  if (updated.name !== tag) {
    const entry = { login: actor.login, organizationGuid, subject: groupGuid, details: { tag, name: updated.name } }
    await addAuditEntry(deps, { action: 'tag_renamed', ...entry })
  }
  return updated
}

export async function removeTag(
  deps: TagDeps,
  actor: Actor,
  { groupGuid, organizationGuid }: WriterMembership,
  text: string,
): Promise<void> {
  const tag = tagSpelling(text)
  await requireFew(deps, groupGuid, tag)
  if (!(await deps.tags.remove(groupGuid, tag, contextOf(deps, actor)))) throw notFound(tag)
  const entry = { login: actor.login, organizationGuid, subject: groupGuid, details: { tag } }
  await addAuditEntry(deps, { action: 'tag_removed', ...entry })
}

// They change in one transaction, for which others wait: ten times as many took PostgreSQL up to 46 s.
const maxItems = 10_000

async function requireFew({ tags }: TagDeps, groupGuid: string, tag: string): Promise<void> {
  const found = (await tags.list(groupGuid)).find(({ name }) => name === tag)
  if (!found || found.links + found.qrCodes <= maxItems) return
  const message =
    `More than ${maxItems} short links and QR codes have the tag ${quoted(tag)}. Take it from the links first, by a job ` +
    'on all that have it: POST /v4/groups/{group_guid}/shortlinks/jobs.'
  throw invalid('tag', message, 'tags')
}

function contextOf({ clock }: TagDeps, { login, clientId }: Actor): ChangeContext {
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
