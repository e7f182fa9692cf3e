/** Annotations of a group. An addition: the public API has none. */
import { type Static, Type } from 'typebox'
import {
  annotationKind,
  changedAnnotation,
  maxAnnotations,
  maxAnnotationText,
  newAnnotation,
} from '../../core/groups/annotations.js'
import type { AnnotationFields, AnnotationStore, GroupRecord } from '../../core/groups/group-record-store.js'
import { addRecord, readRecord, removeRecord, updateRecord } from '../../core/groups/group-records.js'
import { type Clock, timestamp } from '../../core/values/time.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { bounds } from '../http/validation.js'
import { groupMember, groupWriter } from './access.js'
import { route } from './route.js'
import { noControls, timestampBounds } from './schemas/bounds.js'
import { refusals } from './schemas/error.js'
import { named } from './schemas/fields.js'
import { listAnswer } from './schemas/lists.js'

export interface AnnotationRouteDeps {
  readonly annotations: AnnotationStore
  readonly clock: Clock
}

const time = 'UTC, shaped `YYYY-MM-DDThh:mm:ss+0000`'

export const AnnotationBody = Type.Object(
  {
    guid: Type.String(),
    group_guid: Type.String(),
    happened_at: Type.String({ description: `When it happened. ${time}` }),
    text: Type.String({ description: 'What happened' }),
    created_by: Type.String({ description: 'Login of the user who made it' }),
    created: Type.String({ description: time }),
    modified: Type.String({ description: time }),
  },
  { $id: 'Annotation' },
)

const happenedAt = Type.String({ ...timestampBounds, description: 'When it happened' })
const text = Type.String({
  ...bounds({ minLength: 1, maxLength: maxAnnotationText, pattern: noControls }),
  description: 'What happened',
})
const examples = [{ happened_at: '2026-11-17T09:00:00+0000', text: 'Newsletter sent' }]
const AddBody = Type.Object({ happened_at: happenedAt, text }, { examples })
const ChangeBody = Type.Object({ happened_at: Type.Optional(happenedAt), text: Type.Optional(text) }, { examples })

export function annotationRoutes(http: TypedFastify, deps: AnnotationRouteDeps): void {
  const tag = 'Annotations'
  const kind = annotationKind(deps)

  route(http, tag, 'listAnnotations: GET /v4/groups/:group_guid/annotations', {
    list: { name: 'annotations', by: 'guid' },
    access: groupMember,
    summary: 'List the annotations of a group',
    description: 'What happened at a time, which charts show on their axis.',
    response: {
      200: listAnswer(
        'annotations',
        named(AnnotationBody, 'An annotation'),
        `All of them, at most ${maxAnnotations}, the latest first`,
      ),
    },
    answer: async ({ params }) => ({
      annotations: (await deps.annotations.list(params.group_guid)).map(presentAnnotation),
    }),
  })

  route(http, tag, 'createAnnotation: POST /v4/groups/:group_guid/annotations', {
    access: groupWriter,
    summary: 'Add an annotation',
    description: 'Everybody in the group sees it in charts of that time.',
    body: AddBody,
    response: { 201: named(AnnotationBody, 'The new annotation') },
    idempotent: true,
    answer: async ({ actor, body }, group) =>
      presentAnnotation(await addRecord(kind, actor, group, newAnnotation(inputFrom(body)))),
  })

  route(http, tag, 'getAnnotation: GET /v4/groups/:group_guid/annotations/:annotation_guid', {
    access: groupMember,
    summary: 'Get an annotation',
    description: 'With its time and its text.',
    response: { 200: named(AnnotationBody, 'The annotation'), ...refusals(404) },
    answer: async ({ params }) => presentAnnotation(await readRecord(kind, params.group_guid, params.annotation_guid)),
  })

  route(http, tag, 'updateAnnotation: PATCH /v4/groups/:group_guid/annotations/:annotation_guid', {
    access: groupWriter,
    summary: 'Update an annotation',
    description: 'Fields that are not sent stay unchanged.',
    body: ChangeBody,
    response: { 200: named(AnnotationBody, 'The updated annotation'), ...refusals(404) },
    answer: async ({ params, body }, group) =>
      presentAnnotation(await updateRecord(kind, group, params.annotation_guid, changedAnnotation(inputFrom(body)))),
  })

  route(http, tag, 'deleteAnnotation: DELETE /v4/groups/:group_guid/annotations/:annotation_guid', {
    access: groupWriter,
    summary: 'Delete an annotation',
    description: 'For everybody in the group.',
    response: { 204: Type.Null({ description: 'The annotation was deleted' }), ...refusals(404) },
    answer: ({ params }, group) => removeRecord(kind, group, params.annotation_guid),
  })
}

function inputFrom({ happened_at: happenedAt, text }: Static<typeof ChangeBody>) {
  return { happenedAt, text }
}

function presentAnnotation(annotation: GroupRecord<AnnotationFields>): Static<typeof AnnotationBody> {
  const { guid, groupGuid, happenedAt, text, createdBy, createdAt, modifiedAt } = annotation
  return {
    guid,
    group_guid: groupGuid,
    happened_at: timestamp(happenedAt),
    text,
    created_by: createdBy,
    created: timestamp(createdAt),
    modified: timestamp(modifiedAt),
  }
}
