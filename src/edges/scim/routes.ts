/**
 * SCIM 2.0 (RFC 7643, 7644) below /scim/v2, as far as identity providers use it: docs/sso.md#scim. Only translates;
 * core/identity-providers/provisioning.ts decides. Must not know users other than those of the provider that asks.
 */
import { isUtf8 } from 'node:buffer'
import type { FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import type {
  Listed,
  ProvisionedGroup,
  ProvisionedPage,
  ProvisionedUser,
} from '../../core/accounts/provisioning-store.js'
import { type ProviderSettings, scimUrl } from '../../core/identity-providers/provider.js'
import type { ProviderDeps } from '../../core/identity-providers/provider-sign-in.js'
import * as provisioning from '../../core/identity-providers/provisioning.js'
import { Refusal } from '../../core/values/refusal.js'
import { clientIpOf } from '../http/client-ip.js'
import { logFailure } from '../http/log-failure.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { resourceTypes, schemas, serviceProviderConfig } from './discovery.js'
import { answerScim, ScimError } from './errors.js'
import { chosen, groupIn, pageOf, patchedGroup, patchedUser, patchIn, storable, userIn } from './requests.js'
import { presentGroup, presentUser } from './resources.js'

export type ScimDeps = ProviderDeps & { readonly config: { readonly trustProxy: number } }

interface Asked {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly settings: ProviderSettings
  readonly id: string
}

export function scimRoutes(http: TypedFastify, deps: ScimDeps): void {
  if (deps.identityProviders.every(({ settings }) => settings.scimToken === undefined)) return
  http.register(async (scim: TypedFastify) => {
    readScimBodies(scim)
    const providers = new WeakMap<FastifyRequest, ProviderSettings>()
    scim.setErrorHandler(sayNo)
    // Before the body is read.
    scim.addHook('onRequest', async (request, reply) => {
      reply.header('cache-control', 'no-store')
      const [, token = ''] = /^bearer (.+)$/i.exec(request.headers.authorization ?? '') ?? []
      providers.set(request, await provisioning.authenticateProvider(deps, token, clientIpOf(request, deps.config)))
    })
    mount(deps, (method, path, answer) => {
      scim.route({
        method,
        url: `/scim/v2${path}`,
        schema: { hide: true },
        async handler(request, reply) {
          const settings = providers.get(request)
          if (!settings) throw new Error('a request of SCIM came without its provider')
          const { id = '' } = request.params as { readonly id?: string }
          const body = await answer({ request, reply, settings, id: storable(id.toLowerCase()) })
          if (body === undefined) return reply.code(204).send()
          return reply.type(mediaType).send(JSON.stringify(body))
        },
      })
    })
  })
}

type Mount = (
  method: HTTPMethods | HTTPMethods[],
  path: string,
  answer: (asked: Asked) => Promise<object | undefined>,
) => void

function mount(deps: ScimDeps, on: Mount): void {
  const base = scimUrl(deps.config.baseUrl)
  const user = ({ request }: Asked, found: ProvisionedUser) => chosen(request, presentUser(found, base))
  const group = ({ request }: Asked, found: ProvisionedGroup) => chosen(request, presentGroup(found, base))

  const edit = async ({ settings }: Asked, id: string | undefined, change: GroupEdit) => {
    const changed = await provisioning.editGroup(deps, settings, id, change)
    return changed ?? fail(provisioning.notFound('group', id))
  }

  on('GET', '/Users', async (asked) => {
    const page = pageOf(asked.request, 'userName')
    const found = await provisioning.listPeople(deps, asked.settings, page)
    return listOf(found, page.offset, (each) => user(asked, each))
  })
  on('POST', '/Users', async (asked) => {
    const added = await provisioning.createPerson(deps, asked.settings, userIn(asked.request.body))
    return created(asked, presentUser(added, base), user(asked, added))
  })
  on('GET', '/Users/:id', async (asked) => {
    const { items } = await provisioning.listPeople(deps, asked.settings, onlyOne(asked.id))
    return user(asked, items[0] ?? fail(provisioning.notFound('user', asked.id)))
  })
  on('PUT', '/Users/:id', async (asked) => {
    const replaced = (found: ProvisionedUser) => userIn(asked.request.body, found.isActive)
    return user(asked, await provisioning.changePerson(deps, asked.settings, asked.id, replaced))
  })
  on('PATCH', '/Users/:id', async (asked) => {
    const operations = patchIn(asked.request.body)
    const edit = (found: ProvisionedUser) => patchedUser(found, operations)
    return user(asked, await provisioning.changePerson(deps, asked.settings, asked.id, edit))
  })
  on('DELETE', '/Users/:id', async ({ settings, id }) => {
    await provisioning.removePerson(deps, settings, id)
    return undefined
  })

  on('GET', '/Groups', async (asked) => {
    const page = pageOf(asked.request, 'displayName')
    const found = await provisioning.listGroups(deps, asked.settings, page)
    return listOf(found, page.offset, (each) => group(asked, each))
  })
  on('POST', '/Groups', async (asked) => {
    const given = groupIn(asked.request.body)
    const added = await edit(asked, undefined, () => given)
    return created(asked, presentGroup(added, base), group(asked, added))
  })
  on('GET', '/Groups/:id', async (asked) => {
    const { items } = await provisioning.listGroups(deps, asked.settings, onlyOne(asked.id))
    return group(asked, items[0] ?? fail(provisioning.notFound('group', asked.id)))
  })
  on('PUT', '/Groups/:id', async (asked) => {
    const given = groupIn(asked.request.body)
    return group(asked, await edit(asked, asked.id, (found) => found && given))
  })
  // Without the group, which may be long; Entra and Okta do not read it.
  on('PATCH', '/Groups/:id', async (asked) => {
    const operations = patchIn(asked.request.body)
    await edit(asked, asked.id, (found) => found && patchedGroup(found, operations))
    return undefined
  })
  on('DELETE', '/Groups/:id', async ({ settings, id }) => {
    await provisioning.editGroup(deps, settings, id, () => undefined)
    return undefined
  })

  on('GET', '/ServiceProviderConfig', async () => serviceProviderConfig(base))
  for (const [path, items] of [
    ['/ResourceTypes', resourceTypes(base)],
    ['/Schemas', schemas(base)],
  ] as const) {
    on('GET', path, async () => listOf({ total: items.length, items }, 0, (each) => each))
    on('GET', `${path}/:id`, async ({ id }) => items.find((each) => each.id.toLowerCase() === id) ?? noOperation())
  }
  on(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], '/*', async () => noOperation())
}

const mediaType = 'application/scim+json; charset=utf-8'

type GroupEdit = Parameters<typeof provisioning.editGroup>[3]

function onlyOne(id: string): ProvisionedPage {
  return { where: { field: 'id', value: id }, offset: 0, size: 1 }
}

function fail(refusal: Refusal): never {
  throw refusal
}

function listOf<Item>({ total, items }: Listed<Item>, offset: number, present: (item: Item) => object): object {
  const list = { totalResults: total, startIndex: offset + 1, itemsPerPage: items.length }
  return { schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'], ...list, Resources: items.map(present) }
}

function created({ reply }: Asked, { meta }: { readonly meta: { readonly location: string } }, body: object): object {
  reply.code(201).header('location', meta.location)
  return body
}

function noOperation(): never {
  return fail(new Refusal('NOT_FOUND', 'There is no such operation. /ResourceTypes lists what is here.'))
}

function sayNo(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, headers, body } = answerScim(error)
  if (status >= 500) logFailure(request, error)
  return reply.code(status).headers(headers).type(mediaType).send(JSON.stringify(body))
}

/** JSON in UTF-8, under either name; nothing at all for a request without a body. */
function readScimBodies(http: TypedFastify): void {
  const parse = http.getDefaultJsonParser('remove', 'remove')
  http.removeAllContentTypeParsers()
  const types = ['application/scim+json', 'application/json']
  http.addContentTypeParser(types, { parseAs: 'buffer' }, (request, bytes: Buffer, done) => {
    if (bytes.length === 0) return done(null, undefined)
    const refuse = () => done(new ScimError('invalidSyntax', 'The body is not valid JSON in UTF-8.'))
    if (!isUtf8(bytes)) return refuse()
    void parse(request, bytes.toString('utf8'), (error, value) => (error ? refuse() : done(null, value)))
  })
}
