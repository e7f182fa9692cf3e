/** Annotations of a group. An addition: the public API has none. */
import { type Static, Type } from 'typebox'
import {
  type AnnotationDeps,
  annotationKind,
  changedAnnotation,
  maxAnnotationText,
  newAnnotation,
} from '../../core/groups/annotations.js'
import { timestamp } from '../../core/values/time.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { bounds } from '../http/validation.js'
import { groupRecordRoutes, recordBody, time } from './group-record-routes.js'
import { noControls, timestampBounds } from './schemas/bounds.js'

export const AnnotationBody = recordBody('Annotation', {
  happened_at: Type.String({ description: `When it happened. ${time}` }),
  text: Type.String({ description: 'What happened' }),
})

const happenedAt = Type.String({ ...timestampBounds, description: 'When it happened' })
const text = Type.String({
  ...bounds({ minLength: 1, maxLength: maxAnnotationText, pattern: noControls }),
  description: 'What happened',
})
const examples = [{ happened_at: '2026-11-17T09:00:00+0000', text: 'Newsletter sent' }]
const AddBody = Type.Object({ happened_at: happenedAt, text }, { examples })
const ChangeBody = Type.Object({ happened_at: Type.Optional(happenedAt), text: Type.Optional(text) }, { examples })

export function annotationRoutes(http: TypedFastify, deps: AnnotationDeps): void {
  groupRecordRoutes(http, annotationKind(deps), {
    tag: 'Annotations',
    name: 'Annotation',
    guid: 'annotation_guid',
    one: 'an annotation',
    noun: 'annotation',
    body: AnnotationBody,
    add: AddBody,
    change: ChangeBody,
    hasUniqueName: false,
    summaryOfAdd: 'Add an annotation',
    order: 'the latest first',
    descriptions: {
      list: 'What happened at a time, which charts show on their axis.',
      add: 'Everybody in the group sees it in charts of that time.',
      get: 'With its time and its text.',
      update: 'Fields that are not sent stay unchanged.',
      remove: 'For everybody in the group.',
    },
    fieldsOf: (sent) => newAnnotation(inputFrom(sent)),
    changeOf: (sent) => changedAnnotation(inputFrom(sent)),
    present: ({ happenedAt, text }) => ({ happened_at: timestamp(happenedAt), text }),
  })
}

function inputFrom({ happened_at: happenedAt, text }: Static<typeof ChangeBody>) {
  return { happenedAt, text }
}
