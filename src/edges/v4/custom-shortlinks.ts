import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import {
  addCustomShortlink,
  type KeywordDeps,
  moveKeyword,
  readCustomShortlink,
  writableKeyword,
} from '../../core/links/keywords.js'
import { namedLink } from '../../core/links/read.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { textIn } from './access.js'
import { type PresentDeps, presentKeyword } from './present.js'
import { addressBounds } from './schemas/bounds.js'
import { refusals } from './schemas/error.js'
import { named } from './schemas/named.js'
import { CustomShortLink } from './schemas/short-link.js'

export type CustomShortlinkRouteDeps = KeywordDeps & PresentDeps

const shortlinkId = Type.String({ ...addressBounds, description: 'The short link it is to lead to, `<domain>/<hash>`' })

const AddBody = Type.Object({
  custom_shortlink: Type.String({ ...addressBounds, description: '`<domain>/<keyword>`, on a branded domain' }),
  shortlink_id: shortlinkId,
})

const MoveBody = Type.Object({ shortlink_id: shortlinkId })

export const KeywordPath = Type.Object({
  domain: Type.String({ description: 'A branded domain' }),
  keyword: Type.String({ description: 'Custom back-half; upper and lower case are different' }),
})

export function customShortlinkRoutes(http: TypedFastify, deps: CustomShortlinkRouteDeps): void {
  const tags = ['Custom short links']
  const record = named(CustomShortLink, 'The custom short link, its short link and its history')

  const add = {
    operationId: 'addCustomShortlink',
    tags,
    summary: 'Add a custom short link',
    description: 'Points a custom back-half at a short link of the same branded domain.',
    body: AddBody,
    response: { 200: record, ...refusals(400, 402, 403, 404, 406, 409, 413, 422) },
  }
  const mayAdd = async (request: FastifyRequest) => {
    const id = textIn(request.body, 'shortlink_id')
    if (id !== undefined) await namedLink(deps, request.actor, id)
  }
  http.post('/v4/custom_shortlinks', { schema: add, preValidation: mayAdd }, async (request) => {
    const { custom_shortlink: customShortlink, shortlink_id: shortlinkId } = request.body
    return presentKeyword(await addCustomShortlink(deps, request.actor, { customShortlink, shortlinkId }), deps)
  })

  const move = {
    operationId: 'moveCustomShortlink',
    tags,
    summary: 'Move a custom short link to another short link',
    description: 'Both must be on the same domain. Where it led before stays in the history.',
    params: KeywordPath,
    body: MoveBody,
    response: { 200: record, ...refusals(400, 402, 403, 404, 406, 410, 413, 422) },
  }
  const mayMove = async ({ actor, params }: FastifyRequest) => {
    await writableKeyword(deps, actor, {
      domain: textIn(params, 'domain') ?? '',
      keyword: textIn(params, 'keyword') ?? '',
    })
  }
  http.patch('/v4/custom_shortlinks/:domain/:keyword', { schema: move, preValidation: mayMove }, async (request) => {
    const moved = await moveKeyword(deps, request.actor, request.params, request.body.shortlink_id)
    return presentKeyword(moved, deps)
  })

  const read = {
    operationId: 'getCustomShortlink',
    tags,
    summary: 'Read a custom short link and its history',
    params: KeywordPath,
    response: { 200: record, ...refusals(402, 403, 404, 410) },
  }
  http.get('/v4/custom_shortlinks/:domain/:keyword', { schema: read }, async (request) => {
    return presentKeyword(await readCustomShortlink(deps, request.actor, request.params), deps)
  })
}
