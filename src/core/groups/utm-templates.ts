/** UTM templates of a group, which tag long URLs in the same way each time. */
import { isLonger } from '../../lib/is-longer.js'
import type { AuditDeps } from '../accounts/audit.js'
import { requireName } from '../values/names.js'
import { invalid } from '../values/refusal.js'
import { type UtmTemplateFields, type UtmTemplateStore, utmParameters } from './group-record-store.js'
import type { RecordKind } from './group-records.js'

export type UtmTemplateInput = { readonly [Field in keyof UtmTemplateFields]?: string | undefined }

// Enough for any group; a form shows them all.
const maxTemplates = 100
export const maxParameterLength = 255

export interface UtmTemplateDeps extends AuditDeps {
  readonly utmTemplates: UtmTemplateStore
}

export function utmTemplateKind({ utmTemplates: store, clock, audit }: UtmTemplateDeps): RecordKind<UtmTemplateFields> {
  const names = { guid: 'utm-template', resource: 'utm_templates', one: 'UTM template', field: 'name' } as const
  return { store, clock, audit, ...names, limit: maxTemplates }
}

export function newUtmTemplate(input: UtmTemplateInput): UtmTemplateFields {
  const none = { source: '', medium: '', campaign: '', term: '', content: '' }
  const fields = { ...none, ...changedUtmTemplate({ ...input, name: input.name ?? '' }), name: input.name ?? '' }
  if (utmParameters.every((name) => fields[name] === '')) {
    throw invalid('utmSource', 'Send at least one UTM parameter that is not empty.', 'utm_templates')
  }
  return fields
}

/** The fields that are sent. */
export function changedUtmTemplate(input: UtmTemplateInput): Partial<UtmTemplateFields> {
  const name = input.name === undefined ? {} : { name: requireName(input.name, 'utm_templates') }
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
  return { ...name, ...Object.fromEntries(sent) }
}
