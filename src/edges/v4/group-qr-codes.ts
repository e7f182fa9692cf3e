/** The QR codes of a group: the list, and one change to many of them. */
import { type Static, Type } from 'typebox'
import type { ContentDeps } from '../../core/qr-codes/content.js'
import {
  type ChangeQrCodesDeps,
  changeQrCodes,
  type ListQrCodesDeps,
  type ListQrCodesInput,
  listQrCodes,
  qrCodeTypes,
} from '../../core/qr-codes/list.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { groupMember, groupWriter } from './access.js'
import { presentQrCode } from './present-qr-code.js'
import { route } from './route.js'
import { guidBounds } from './schemas/bounds.js'
import { refusals } from './schemas/error.js'
import { named } from './schemas/fields.js'
import { changeOfMany, itemFilterInput, itemFilters, itemPage, itemPaging } from './schemas/item-lists.js'
import { choice, chosen, joinedTexts, listAnswer, pageAnswer, pagination, separated } from './schemas/lists.js'
import { QrCode } from './schemas/qr-code.js'

export type GroupQrCodeRouteDeps = ListQrCodesDeps & ChangeQrCodesDeps & ContentDeps

const filters = itemFilters('Codes', 'back-half')
const ListQuery = Type.Object({
  ...itemPaging('Codes'),
  ...filters.search,
  ...filters.created,
  creating_login: joinedTexts('Codes created by this user; repeat it for any of several'),
  qrc_type: Type.Optional(
    Type.Array(Type.Enum([...qrCodeTypes], { type: 'string' }), {
      description: '`shortlink`: coupled codes, `long_url`: stand-alone ones; repeat it for both, the default',
    }),
  ),
  has_render_customizations: choice('both', 'Codes that do not look plain'),
  is_gs1: choice('both', 'Codes with GS1 values'),
  ...filters.expiry,
  ...filters.tags,
})

const QrCodeList = pageAnswer('qr_codes', named(QrCode, 'A QR code'), 'A page of QR codes')

const codeId = { bounds: guidBounds, named: 'QR codes', example: 'Qw6Zt1Rn8Bv' }
const BulkBody = changeOfMany('codes', 'qr_code_ids', codeId)

const ChangedCodes = listAnswer('qr_code_ids', Type.String(), 'Ids of the updated codes')

export function groupQrCodeRoutes(http: TypedFastify, deps: GroupQrCodeRouteDeps): void {
  const { baseUrl } = deps.config
  route(http, 'QR codes', 'listGroupQrCodes: GET /v4/groups/:group_guid/qr-codes', {
    scope: ['links:read', 'qr'],
    access: groupMember,
    summary: "List a group's QR codes",
    description:
      'Newest first. Following `pagination.next` returns every code exactly once, even while codes are being created.',
    querystring: ListQuery,
    response: { 200: QrCodeList },
    answer: async (request) => {
      const input = inputFrom(request.query)
      const listed = await listQrCodes(deps, request.actor, request.params.group_guid, input)
      return {
        qr_codes: listed.items.map((code) => presentQrCode(code, deps)),
        pagination: pagination(baseUrl + request.url, listed.searchAfter, input.size),
      }
    },
  })

  route(http, 'QR codes', 'updateGroupQrCodes: PATCH /v4/groups/:group_guid/qr-codes', {
    scope: 'qr',
    access: groupWriter,
    summary: 'Update many QR codes at once',
    description: 'Archives or restores codes, or edits their tags. If one code cannot be changed, none is.',
    body: BulkBody,
    response: { 200: ChangedCodes, ...refusals(404, 410) },
    answer: async (request) => {
      const { action, qr_code_ids: ids, archive, add_tags: addTags, remove_tags: removeTags } = request.body
      const input = { action, ids, archive, addTags, removeTags }
      return { qr_code_ids: [...(await changeQrCodes(deps, request.actor, request.params.group_guid, input))] }
    },
  })
}

function inputFrom(query: Static<typeof ListQuery>): ListQrCodesInput {
  return {
    ...itemPage(query),
    ...itemFilterInput(query),
    creatingLogins: separated(query.creating_login),
    types: query.qrc_type ?? [],
    hasRenderCustomizations: chosen(query.has_render_customizations),
    isGs1: chosen(query.is_gs1),
  }
}
