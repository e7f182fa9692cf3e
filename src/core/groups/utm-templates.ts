/** UTM templates of a group, which tag long URLs in the same way each time. Readers see them, all others change them. */
import { isLonger } from '../../lib/is-longer.js'
import type { Actor, WriterMembership } from '../accounts/actor.js'
import { isGuid, newGuid } from '../values/guid.js'
import { requireName } from '../values/names.js'
import { invalid, quoted, Refusal } from '../values/refusal.js'
import type { Clock } from '../values/time.js'
import { type UtmTemplate, type UtmTemplateFields, type UtmTemplateStore, utmParameters } from './utm-template-store.js'

export interface UtmTemplateDeps {
  readonly utmTemplates: UtmTemplateStore
  readonly clock: Clock
}

export type UtmTemplateInput = { readonly [Field in keyof UtmTemplateFields]?: string | undefined }

// Enough for any group; a form shows them all.
export const maxTemplates = 100
export const maxParameterLength = 255

export async function addUtmTemplate(
  deps: UtmTemplateDeps,
  actor: Actor,
  { groupGuid }: WriterMembership,
  input: UtmTemplateInput,
): Promise<UtmTemplate> {
  const none = { source: '', medium: '', campaign: '', term: '', content: '' }
  const fields = { ...none, ...changedFields(input), name: requireName(input.name, 'utm_templates') }
  if (utmParameters.every((name) => fields[name] === '')) {
    throw invalid('utmSource', 'Send at least one UTM parameter that is not empty.', 'utm_templates')
  }
  const guid = newGuid('utm-template')
  const at = deps.clock.now()
  const template = { ...fields, guid, groupGuid, createdBy: actor.login }
  const outcome = await deps.utmTemplates.add({ ...template, at, limit: maxTemplates })
  if (outcome === 'no-group') throw new Error(`the group ${groupGuid} has members but does not exist`)
  if (outcome === 'taken') throw nameTaken(fields.name)
  if (outcome === 'too-many') {
    throw invalid('name', `A group has at most ${maxTemplates} UTM templates. Delete one first.`, 'utm_templates')
  }
  return { ...template, createdAt: at, modifiedAt: at }
}

/** An empty parameter is removed; what is not sent stays. */
export async function readUtmTemplate(
  deps: Pick<UtmTemplateDeps, 'utmTemplates'>,
  groupGuid: string,
  guid: string,
): Promise<UtmTemplate> {
  const found = (await deps.utmTemplates.list(groupGuid)).find((each) => each.guid === guid)
  if (!found) throw notFound(guid)
  return found
}

export async function updateUtmTemplate(
  deps: UtmTemplateDeps,
  { groupGuid }: WriterMembership,
  guid: string,
  input: UtmTemplateInput,
): Promise<UtmTemplate> {
  const fields = changedFields(input)
  const change = input.name === undefined ? fields : { ...fields, name: requireName(input.name, 'utm_templates') }
  const updated = isGuid(guid) ? await deps.utmTemplates.update(groupGuid, guid, change, deps.clock.now()) : 'missing'
  if (updated === 'missing') throw notFound(guid)
  if (updated === 'taken') throw nameTaken(input.name ?? '')
  return updated
}

export async function removeUtmTemplate(
  deps: Pick<UtmTemplateDeps, 'utmTemplates'>,
  { groupGuid }: WriterMembership,
  guid: string,
): Promise<void> {
  if (!isGuid(guid) || !(await deps.utmTemplates.remove(groupGuid, guid))) throw notFound(guid)
}

function changedFields(input: UtmTemplateInput): Partial<UtmTemplateFields> {
  const sent = utmParameters.flatMap((name) => {
    const value = input[name]?.trim()
    if (value === undefined) return []
    if (isLonger(value, maxParameterLength) || /[\p{Cc}\p{Cs}]/u.test(value)) {
      const field = `utm${name.charAt(0).toUpperCase()}${name.slice(1)}`
      const message = `A UTM parameter has at most ${maxParameterLength} characters and no control characters.`
      throw invalid(field, message, 'utm_templates')
    }
    return [[name, value]]
  })
  return Object.fromEntries(sent)
}

function nameTaken(name: string): Refusal {
  const message = `The group already has a UTM template named ${quoted(name)}. Choose another name, or change that one.`
  return new Refusal('CONFLICT', message, { resource: 'utm_templates', field: 'name' })
}

function notFound(guid: string): Refusal {
  return new Refusal('NOT_FOUND', `There is no UTM template ${quoted(guid)}.`, { resource: 'utm_templates' })
}
