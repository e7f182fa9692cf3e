/** UTM templates of a group. An addition: the public API has none. */

import { type Static, Type } from 'typebox'
import type { GroupRecord, UtmTemplateFields, UtmTemplateStore } from '../../core/groups/group-record-store.js'
import { addRecord, readRecord, removeRecord, updateRecord } from '../../core/groups/group-records.js'
import {
  changedUtmTemplate,
  maxParameterLength,
  maxTemplates,
  newUtmTemplate,
  type UtmTemplateInput,
  utmTemplateKind,
} from '../../core/groups/utm-templates.js'
import { type Clock, timestamp } from '../../core/values/time.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { bounds, emptyRemoves } from '../http/validation.js'
import { groupMember, groupWriter } from './access.js'
import { route } from './route.js'
import { nameBounds, noControls } from './schemas/bounds.js'
import { refusals } from './schemas/error.js'
import { named } from './schemas/fields.js'
import { listAnswer } from './schemas/lists.js'

export interface UtmTemplateRouteDeps {
  readonly utmTemplates: UtmTemplateStore
  readonly clock: Clock
}

const time = 'UTC, shaped `YYYY-MM-DDThh:mm:ss+0000`'

export const UtmTemplateBody = Type.Object(
  {
    guid: Type.String(),
    group_guid: Type.String(),
    name: Type.String({ description: 'Unique in the group' }),
    utm_source: Type.String({ description: 'Empty if there is none, like all parameters' }),
    utm_medium: Type.String(),
    utm_campaign: Type.String(),
    utm_term: Type.String(),
    utm_content: Type.String(),
    created_by: Type.String({ description: 'Login of the user who made it' }),
    created: Type.String({ description: time }),
    modified: Type.String({ description: time }),
  },
  { $id: 'UtmTemplate' },
)

const parameter = (what: string) =>
  Type.Optional(
    Type.String({
      ...emptyRemoves,
      ...bounds({ maxLength: maxParameterLength, pattern: noControls }),
      description: `${what}; send an empty string to remove it`,
    }),
  )
const parameters = {
  utm_source: parameter('Where visitors come from, such as `newsletter`'),
  utm_medium: parameter('The medium, such as `email`'),
  utm_campaign: parameter('The campaign'),
  utm_term: parameter('The keyword of an advertisement'),
  utm_content: parameter('Which of several links to the same page'),
}
const examples = [{ name: 'Newsletter', utm_source: 'newsletter', utm_medium: 'email' }]
const name = 'At most 255 characters; unique in the group'
const AddBody = Type.Object({ name: Type.String({ ...nameBounds, description: name }), ...parameters }, { examples })
const ChangeBody = Type.Object(
  { name: Type.Optional(Type.String({ ...nameBounds, description: name })), ...parameters },
  { examples },
)

export function utmTemplateRoutes(http: TypedFastify, deps: UtmTemplateRouteDeps): void {
  const tag = 'UTM templates'
  const kind = utmTemplateKind(deps)

  route(http, tag, 'listUtmTemplates: GET /v4/groups/:group_guid/utm_templates', {
    list: { name: 'utm_templates', by: 'guid' },
    access: groupMember,
    summary: 'List the UTM templates of a group',
    description: 'Sets of UTM parameters that forms offer, so that links are tagged in the same way each time.',
    response: {
      200: listAnswer(
        'utm_templates',
        named(UtmTemplateBody, 'A UTM template'),
        `All of them, at most ${maxTemplates}, by name`,
      ),
    },
    answer: async ({ params }) => ({
      utm_templates: (await deps.utmTemplates.list(params.group_guid)).map(presentTemplate),
    }),
  })

  route(http, tag, 'createUtmTemplate: POST /v4/groups/:group_guid/utm_templates', {
    access: groupWriter,
    summary: 'Save a UTM template',
    description: 'With at least one parameter that is not empty. A name that the group already has is a conflict.',
    body: AddBody,
    response: { 201: named(UtmTemplateBody, 'The new template'), ...refusals(409) },
    idempotent: true,
    answer: async ({ actor, body }, group) =>
      presentTemplate(await addRecord(kind, actor, group, newUtmTemplate(inputFrom(body)))),
  })

  route(http, tag, 'getUtmTemplate: GET /v4/groups/:group_guid/utm_templates/:template_guid', {
    access: groupMember,
    summary: 'Get a UTM template',
    description: 'With its parameters; those that it does not set are empty.',
    response: { 200: named(UtmTemplateBody, 'The template'), ...refusals(404) },
    answer: async ({ params }) => presentTemplate(await readRecord(kind, params.group_guid, params.template_guid)),
  })

  route(http, tag, 'updateUtmTemplate: PATCH /v4/groups/:group_guid/utm_templates/:template_guid', {
    access: groupWriter,
    summary: 'Update a UTM template',
    description: 'Fields that are not sent stay unchanged. Links that were made with it keep their long URLs.',
    body: ChangeBody,
    response: { 200: named(UtmTemplateBody, 'The updated template'), ...refusals(404, 409) },
    answer: async ({ params, body }, group) =>
      presentTemplate(await updateRecord(kind, group, params.template_guid, changedUtmTemplate(inputFrom(body)))),
  })

  route(http, tag, 'deleteUtmTemplate: DELETE /v4/groups/:group_guid/utm_templates/:template_guid', {
    access: groupWriter,
    summary: 'Delete a UTM template',
    description: 'Links that were made with it stay as they are.',
    response: { 204: Type.Null({ description: 'The template was deleted' }), ...refusals(404) },
    answer: ({ params }, group) => removeRecord(kind, group, params.template_guid),
  })
}

function inputFrom(body: Static<typeof ChangeBody>): UtmTemplateInput {
  return {
    name: body.name,
    source: body.utm_source,
    medium: body.utm_medium,
    campaign: body.utm_campaign,
    term: body.utm_term,
    content: body.utm_content,
  }
}

function presentTemplate(template: GroupRecord<UtmTemplateFields>): Static<typeof UtmTemplateBody> {
  return {
    guid: template.guid,
    group_guid: template.groupGuid,
    name: template.name,
    utm_source: template.source,
    utm_medium: template.medium,
    utm_campaign: template.campaign,
    utm_term: template.term,
    utm_content: template.content,
    created_by: template.createdBy,
    created: timestamp(template.createdAt),
    modified: timestamp(template.modifiedAt),
  }
}
