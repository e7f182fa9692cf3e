/** The routes of the small records of a group: UTM templates, views and annotations have the same five. */
import { type Static, type TObject, type TProperties, Type } from 'typebox'
import type { GroupRecord } from '../../core/groups/group-record-store.js'
import { addRecord, type RecordKind, readRecord, removeRecord, updateRecord } from '../../core/groups/group-records.js'
import { timestamp } from '../../core/values/time.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { groupMember, groupWriter } from './access.js'
import { route } from './route.js'
import { refusals } from './schemas/error.js'
import { named } from './schemas/fields.js'
import { listAnswer } from './schemas/lists.js'

export const time = 'UTC, shaped `YYYY-MM-DDThh:mm:ss+0000`'

/** A record in an answer: the fields of its kind, and those that all records have. */
export function recordBody<Fields extends TProperties>($id: string, fields: Fields) {
  return Type.Object(
    {
      guid: Type.String(),
      group_guid: Type.String(),
      ...fields,
      created_by: Type.String({ description: 'Login of the user who made it' }),
      created: Type.String({ description: time }),
      modified: Type.String({ description: time }),
    },
    { $id },
  )
}

interface RecordRoutes<Fields, Body extends TObject, Add extends TObject, Change extends TObject> {
  readonly tag: string
  /** As in the operation `getView`. */
  readonly name: string
  /** The parameter of the path. */
  readonly guid: `${string}_guid`
  /** As in `Get a view`. */
  readonly one: string
  /** As in `The view was deleted`. */
  readonly noun: string
  readonly body: Body
  readonly add: Add
  readonly change: Change
  /** Another one with the same name is a conflict. */
  readonly hasUniqueName: boolean
  readonly summaryOfAdd: string
  readonly order: string
  readonly descriptions: Readonly<Record<'list' | 'add' | 'get' | 'update' | 'remove', string>>
  readonly fieldsOf: (sent: Static<Add>) => Fields
  readonly changeOf: (sent: Static<Change>) => Partial<Fields>
  readonly present: (fields: Fields) => Omit<Static<Body>, OfAll>
}

/** The fields that all records have. */
type OfAll = 'guid' | 'group_guid' | 'created_by' | 'created' | 'modified'

export function groupRecordRoutes<
  Fields extends object,
  Body extends TObject,
  Add extends TObject,
  Change extends TObject,
>(http: TypedFastify, kind: RecordKind<Fields>, routes: RecordRoutes<Fields, Body, Add, Change>): void {
  const { tag, name, guid, one, noun, descriptions, fieldsOf, changeOf } = routes
  const body: TObject = routes.body
  const resource: string = kind.resource
  const all: `/v4/groups/:group_guid/${string}` = `/v4/groups/:group_guid/${resource}`
  const single: typeof all = `${all}/:${guid}`
  const conflict = routes.hasUniqueName ? refusals(409) : {}
  const guidIn = (params: object) => String(Reflect.get(params, guid))
  const present = (record: GroupRecord<Fields>) => ({
    guid: record.guid,
    group_guid: record.groupGuid,
    ...routes.present(record),
    created_by: record.createdBy,
    created: timestamp(record.createdAt),
    modified: timestamp(record.modifiedAt),
  })

  route(http, tag, `list${name}s: GET ${all}`, {
    scope: 'links:read',
    list: { name: resource, by: 'guid' },
    access: groupMember,
    summary: `List the ${kind.one}s of a group`,
    description: descriptions.list,
    response: {
      200: listAnswer(
        resource,
        named(body, one.charAt(0).toUpperCase() + one.slice(1)),
        `All of them, at most ${kind.limit}, ${routes.order}`,
      ),
    },
    answer: async ({ params }) => ({ [resource]: (await kind.store.list(params.group_guid)).map(present) }),
  })

  route(http, tag, `create${name}: POST ${all}`, {
    scope: 'links:write',
    access: groupWriter,
    summary: routes.summaryOfAdd,
    description: descriptions.add,
    body: routes.add,
    response: { 201: named(body, `The new ${noun}`), ...conflict },
    idempotent: true,
    answer: async ({ actor, body }, group) =>
      present(await addRecord(kind, actor, group, fieldsOf(body as Static<Add>))),
  })

  route(http, tag, `get${name}: GET ${single}`, {
    scope: 'links:read',
    access: groupMember,
    summary: `Get ${one}`,
    description: descriptions.get,
    response: { 200: named(body, `The ${noun}`), ...refusals(404) },
    answer: async ({ params }) => present(await readRecord(kind, params.group_guid, guidIn(params))),
  })

  route(http, tag, `update${name}: PATCH ${single}`, {
    scope: 'links:write',
    access: groupWriter,
    summary: `Update ${one}`,
    description: descriptions.update,
    body: routes.change,
    response: { 200: named(body, `The updated ${noun}`), ...refusals(404), ...conflict },
    answer: async ({ actor, params, body }, group) =>
      present(await updateRecord(kind, actor, group, guidIn(params), changeOf(body as Static<Change>))),
  })

  route(http, tag, `delete${name}: DELETE ${single}`, {
    scope: 'links:write',
    access: groupWriter,
    summary: `Delete ${one}`,
    description: descriptions.remove,
    response: { 204: Type.Null({ description: `The ${noun} was deleted` }), ...refusals(404) },
    answer: ({ actor, params }, group) => removeRecord(kind, actor, group, guidIn(params)),
  })
}
