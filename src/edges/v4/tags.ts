/** The tags of a group as things of their own. An addition: the public API lists their names alone (groups.ts). */
import { type Static, Type } from 'typebox'
import type { BulkJob } from '../../core/bulk/job.js'
import { removeTag, type TagDeps, updateTag } from '../../core/bulk/manage-tags.js'
import type { TagDetails } from '../../core/links/tag-store.js'
import { maxTagDescription, tagColors } from '../../core/links/tags.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { bounds, emptyRemoves } from '../http/validation.js'
import { groupMember, groupWriter } from './access.js'
import { JobBody, presentJob } from './bulk-jobs.js'
import { type BaseUrlDeps, route } from './route.js'
import { noControls, tagBounds } from './schemas/bounds.js'
import { ErrorBody, refusals } from './schemas/error.js'
import { named } from './schemas/fields.js'
import { listAnswer } from './schemas/lists.js'

const color = Type.Enum([...tagColors], {
  type: 'string',
  description: 'How clients draw it; `gray` at first',
  examples: ['teal'],
})

export const TagBody = Type.Object(
  {
    name: Type.String({ examples: ['autumn'] }),
    color,
    description: Type.String({ description: 'Empty if there is none', examples: ['The autumn sale of 2026'] }),
    links: Type.Integer({ description: 'How many short links have it', examples: [120] }),
    qr_codes: Type.Integer({ description: 'How many QR codes have it', examples: [4] }),
  },
  { $id: 'Tag' },
)

const UpdateBody = Type.Object(
  {
    name: Type.Optional(Type.String({ ...tagBounds, description: 'Renames it on all short links and QR codes' })),
    merge: Type.Optional(
      Type.Boolean({ default: false, description: 'Merges it into the tag that already has this name' }),
    ),
    color: Type.Optional(color),
    description: Type.Optional(
      Type.String({
        ...emptyRemoves,
        ...bounds({ maxLength: maxTagDescription, pattern: noControls }),
        description: 'What the tag is for; send an empty string to remove it',
      }),
    ),
  },
  { examples: [{ name: 'autumn-2026', color: 'orange', description: 'The autumn sale of 2026' }] },
)

const params = { tag: Type.String({ description: 'The tag; percent-encoded', examples: ['autumn'] }) }

export function tagRoutes(http: TypedFastify, deps: TagDeps & BaseUrlDeps): void {
  const { baseUrl } = deps.config

  route(http, 'Groups', 'listGroupTagDetails: GET /v4/groups/:group_guid/tag_details', {
    scope: 'links:read',
    list: { name: 'tags', by: 'name' },
    access: groupMember,
    summary: 'List the tags of a group with their details',
    description: 'Of its short links and of its QR codes, with color, description and how many have each.',
    response: { 200: listAnswer('tags', named(TagBody, 'A tag'), 'In alphabetical order') },
    answer: async ({ params: { group_guid } }) => ({ tags: (await deps.tags.list(group_guid)).map(presentTag) }),
  })

  route(http, 'Groups', 'updateGroupTag: PATCH /v4/groups/:group_guid/tags/:tag', {
    scope: 'links:write',
    params,
    access: groupWriter,
    summary: 'Rename, merge, color or describe a tag',
    description:
      'Fields that are not sent stay unchanged. A new name changes every short link and QR code of the group that has the ' +
      'tag: at once, or as a job if more than 1,000 have it. A name that another tag has is a conflict, unless `merge` is true: then everything with either tag ' +
      'has that one, which keeps its color and description.',
    body: UpdateBody,
    response: {
      200: named(TagBody, 'The updated tag'),
      202: named(JobBody, 'The job that renames or merges a tag of many'),
      ...refusals(404, 409),
    },
    answer: async ({ actor, params: { tag }, body }, group, reply) => {
      const { name, merge, color, description } = body
      const updated = await updateTag(deps, actor, group, tag, { name, merge, color, description })
      return isJob(updated)
        ? reply.code(202).send(presentJob(updated, baseUrl))
        : reply.code(200).send(presentTag(updated))
    },
  })

  route(http, 'Groups', 'deleteGroupTag: DELETE /v4/groups/:group_guid/tags/:tag', {
    scope: 'links:write',
    params,
    access: groupWriter,
    summary: 'Delete a tag',
    description:
      'Removes it from every short link and QR code of the group: at once, or as a job if more than 1,000 have it. They stay.',
    response: {
      202: named(JobBody, 'The job that deletes a tag of many'),
      204: Type.Null({ description: 'The tag was deleted' }),
      ...refusals(404),
      409: named(ErrorBody, 'Too many jobs of the organization are not finished'),
    },
    answer: async ({ actor, params: { tag } }, group, reply) => {
      const job = await removeTag(deps, actor, group, tag)
      return job ? reply.code(202).send(presentJob(job, baseUrl)) : reply.code(204).send(null)
    },
  })
}

function isJob(updated: TagDetails | BulkJob): updated is BulkJob {
  return 'guid' in updated
}

function presentTag({ qrCodes, ...tag }: TagDetails): Static<typeof TagBody> {
  return { ...tag, qr_codes: qrCodes }
}
