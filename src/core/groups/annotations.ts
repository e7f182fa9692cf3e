/** Annotations: what happened at a time, shown in the charts of the group. */
import type { AuditDeps } from '../accounts/audit.js'
import { isPlain } from '../values/names.js'
import { invalid } from '../values/refusal.js'
import { parseTimestamp } from '../values/time.js'
import type { AnnotationFields, AnnotationStore } from './group-record-store.js'
import type { RecordKind } from './group-records.js'

const maxAnnotations = 1000
export const maxAnnotationText = 255

export interface AnnotationInput {
  readonly happenedAt?: string | undefined
  readonly text?: string | undefined
}

export interface AnnotationDeps extends AuditDeps {
  readonly annotations: AnnotationStore
}

export function annotationKind({ annotations: store, clock, audit }: AnnotationDeps): RecordKind<AnnotationFields> {
  const names = { guid: 'annotation', resource: 'annotations', one: 'annotation', field: 'text' } as const
  const audited = { as: 'annotation', nameOf: ({ text }: AnnotationFields) => text } as const
  return { store, clock, audit, ...names, limit: maxAnnotations, audited }
}

export function newAnnotation({ happenedAt = '', text = '' }: AnnotationInput): AnnotationFields {
  return { happenedAt: requireTime(happenedAt), text: requireText(text) }
}

export function changedAnnotation({ happenedAt, text }: AnnotationInput): Partial<AnnotationFields> {
  return {
    ...(happenedAt !== undefined && { happenedAt: requireTime(happenedAt) }),
    ...(text !== undefined && { text: requireText(text) }),
  }
}

function requireTime(text: string): number {
  const at = parseTimestamp(text)?.at
  if (at === undefined) throw invalid('happenedAt', 'Send a time such as 2026-11-17T09:00:00+0000.', 'annotations')
  return at
}

function requireText(text: string): string {
  if (text.trim() === '' || !isPlain(text, maxAnnotationText)) {
    const message = `Send a text of 1 to ${maxAnnotationText} characters, without control characters.`
    throw invalid('text', message, 'annotations')
  }
  return text.trim()
}
