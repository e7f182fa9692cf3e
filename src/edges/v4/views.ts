/** Views of a group. An addition: the public API has none. */
import { Type } from 'typebox'
import { viewPages } from '../../core/groups/group-record-store.js'
import { changedView, maxViewQuery, newView, type ViewDeps, viewKind } from '../../core/groups/views.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { bounds, emptyRemoves } from '../http/validation.js'
import { groupRecordRoutes, recordBody } from './group-record-routes.js'
import { nameBounds, noControls } from './schemas/bounds.js'

const page = { description: 'The page of the dashboard', examples: ['links'] }
const query = 'What follows the question mark in the URL of the page'

export const ViewBody = recordBody('View', {
  name: Type.String({ description: 'Unique among the views of the page in the group' }),
  page: Type.Enum([...viewPages], { type: 'string', ...page }),
  query: Type.String({ description: query }),
})

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

export function viewRoutes(http: TypedFastify, deps: ViewDeps): void {
  groupRecordRoutes(http, viewKind(deps), {
    tag: 'Views',
    name: 'View',
    guid: 'view_guid',
    one: 'a view',
    noun: 'view',
    body: ViewBody,
    add: AddBody,
    change: ChangeBody,
    hasUniqueName: true,
    summaryOfAdd: 'Save a view',
    order: 'by name',
    descriptions: {
      list: 'Filters of pages of the dashboard that were saved under a name.',
      add: 'Everybody in the group has it. A name that the page already has is a conflict.',
      get: 'With its page and its filters.',
      update: 'Fields that are not sent stay unchanged. The page stays.',
      remove: 'For everybody in the group. Links stay as they are.',
    },
    fieldsOf: newView,
    changeOf: changedView,
    present: ({ name, page, query }) => ({ name, page, query }),
  })
}
