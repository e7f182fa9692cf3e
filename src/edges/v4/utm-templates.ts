/** UTM templates of a group. An addition: the public API has none. */
import { type Static, Type } from 'typebox'
import {
  changedUtmTemplate,
  maxParameterLength,
  newUtmTemplate,
  type UtmTemplateDeps,
  type UtmTemplateInput,
  utmTemplateKind,
} from '../../core/groups/utm-templates.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { bounds, emptyRemoves } from '../http/validation.js'
import { groupRecordRoutes, recordBody } from './group-record-routes.js'
import { nameBounds, noControls } from './schemas/bounds.js'

export const UtmTemplateBody = recordBody('UtmTemplate', {
  name: Type.String({ description: 'Unique in the group' }),
  utm_source: Type.String({ description: 'Empty if there is none, like all parameters' }),
  utm_medium: Type.String(),
  utm_campaign: Type.String(),
  utm_term: Type.String(),
  utm_content: Type.String(),
})

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

export function utmTemplateRoutes(http: TypedFastify, deps: UtmTemplateDeps): void {
  groupRecordRoutes(http, utmTemplateKind(deps), {
    tag: 'UTM templates',
    name: 'UtmTemplate',
    guid: 'template_guid',
    one: 'a UTM template',
    noun: 'template',
    body: UtmTemplateBody,
    add: AddBody,
    change: ChangeBody,
    hasUniqueName: true,
    summaryOfAdd: 'Save a UTM template',
    order: 'by name',
    descriptions: {
      list: 'Sets of UTM parameters that forms offer, so that links are tagged in the same way each time.',
      add: 'With at least one parameter that is not empty. A name that the group already has is a conflict.',
      get: 'With its parameters; those that it does not set are empty.',
      update: 'Fields that are not sent stay unchanged. Links that were made with it keep their long URLs.',
      remove: 'Links that were made with it stay as they are.',
    },
    fieldsOf: (sent) => newUtmTemplate(inputFrom(sent)),
    changeOf: (sent) => changedUtmTemplate(inputFrom(sent)),
    present: ({ name, source, medium, campaign, term, content }) => ({
      name,
      utm_source: source,
      utm_medium: medium,
      utm_campaign: campaign,
      utm_term: term,
      utm_content: content,
    }),
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
