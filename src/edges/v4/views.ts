/** Views of a group. An addition: the public API has none. */
import { type Static, Type } from 'typebox'
import { type GroupRecord, type ViewFields, type ViewStore, viewPages } from '../../core/groups/group-record-store.js'
import { addRecord, readRecord, removeRecord, updateRecord } from '../../core/groups/group-records.js'
import { changedView, maxViewQuery, maxViews, newView, viewKind } from '../../core/groups/views.js'
import { type Clock, timestamp } from '../../core/values/time.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { bounds, emptyRemoves } from '../http/validation.js'
import { groupMember, groupWriter } from './access.js'
import { route } from './route.js'
import { nameBounds, noControls } from './schemas/bounds.js'
import { refusals } from './schemas/error.js'
import { named } from './schemas/fields.js'
import { listAnswer } from './schemas/lists.js'

export interface ViewRouteDeps {
  readonly views: ViewStore
  readonly clock: Clock
}

const page = { description: 'The page of the dashboard', examples: ['links'] }
const query = 'What follows the question mark in the URL of the page'
const time = 'UTC, shaped `YYYY-MM-DDThh:mm:ss+0000`'

export const ViewBody = Type.Object(
  {
    guid: Type.String(),
    group_guid: Type.String(),
    name: Type.String({ description: 'Unique among the views of the page in the group' }),
    page: Type.Enum([...viewPages], { type: 'string', ...page }),
    query: Type.String({ description: query }),
    created_by: Type.String({ description: 'Login of the user who made it' }),
    created: Type.String({ description: time }),
    modified: Type.String({ description: time }),
  },
  { $id: 'View' },
)

const name = { ...nameBounds, description: 'At most 255 characters; unique among the views of the page in the group' }
const queryField = Type.Optional(
  Type.String({ ...emptyRemoves, ...bounds({ maxLength: maxViewQuery, pattern: noControls }), description: query }),
)
const AddBody = Type.Object(
  { name: Type.String(name), page: Type.Enum([...viewPages], { type: 'string', ...page }), query: queryField },
  { examples: [{ name: 'Sale', page: 'links', query: 'tags=sale' }] },
)
const ChangeBody = Type.Object(
  { name: Type.Optional(Type.String(name)), query: queryField },
  { examples: [{ name: 'Autumn sale' }] },
)

export function viewRoutes(http: TypedFastify, deps: ViewRouteDeps): void {
  const tag = 'Views'
  const kind = viewKind(deps)

  route(http, tag, 'listViews: GET /v4/groups/:group_guid/views', {
    list: { name: 'views', by: 'guid' },
    access: groupMember,
    summary: 'List the views of a group',
    description: 'Filters of pages of the dashboard that were saved under a name.',
    response: { 200: listAnswer('views', named(ViewBody, 'A view'), `All of them, at most ${maxViews}, by name`) },
    answer: async ({ params }) => ({ views: (await deps.views.list(params.group_guid)).map(presentView) }),
  })

  route(http, tag, 'createView: POST /v4/groups/:group_guid/views', {
    access: groupWriter,
    summary: 'Save a view',
    description: 'Everybody in the group has it. A name that the page already has is a conflict.',
    body: AddBody,
    response: { 201: named(ViewBody, 'The new view'), ...refusals(409) },
    idempotent: true,
    answer: async ({ actor, body }, group) => presentView(await addRecord(kind, actor, group, newView(body))),
  })

  route(http, tag, 'getView: GET /v4/groups/:group_guid/views/:view_guid', {
    access: groupMember,
    summary: 'Get a view',
    description: 'With its page and its filters.',
    response: { 200: named(ViewBody, 'The view'), ...refusals(404) },
    answer: async ({ params }) => presentView(await readRecord(kind, params.group_guid, params.view_guid)),
  })

  route(http, tag, 'updateView: PATCH /v4/groups/:group_guid/views/:view_guid', {
    access: groupWriter,
    summary: 'Update a view',
    description: 'Fields that are not sent stay unchanged. The page stays.',
    body: ChangeBody,
    response: { 200: named(ViewBody, 'The updated view'), ...refusals(404, 409) },
    answer: async ({ params, body }, group) =>
      presentView(await updateRecord(kind, group, params.view_guid, changedView(body))),
  })

  route(http, tag, 'deleteView: DELETE /v4/groups/:group_guid/views/:view_guid', {
    access: groupWriter,
    summary: 'Delete a view',
    description: 'For everybody in the group. Links stay as they are.',
    response: { 204: Type.Null({ description: 'The view was deleted' }), ...refusals(404) },
    answer: ({ params }, group) => removeRecord(kind, group, params.view_guid),
  })
}

function presentView(view: GroupRecord<ViewFields>): Static<typeof ViewBody> {
  const { guid, groupGuid, name, page, query, createdBy, createdAt, modifiedAt } = view
  return {
    guid,
    group_guid: groupGuid,
    name,
    page,
    query,
    created_by: createdBy,
    created: timestamp(createdAt),
    modified: timestamp(modifiedAt),
  }
}
