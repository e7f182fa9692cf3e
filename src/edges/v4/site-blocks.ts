/** Blocks of sites (docs/api/sites.md#blocks). All of these change the draft. */
import { Type } from 'typebox'
import { type BlockDeps, createBlock, deleteBlock, sortBlocks, updateBlock } from '../../core/sites/blocks.js'
import { previewDraft } from '../../core/sites/preview.js'
import { withLinks } from '../../core/sites/read.js'
import type { SiteDrafts } from '../http/site-page.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { appearanceFrom, blockFrom, presentBlock, presentSite } from './present-site.js'
import { route } from './route.js'
import { refusals } from './schemas/error.js'
import { tagged } from './schemas/fields.js'
import { BlockCreate, BlockOrder, BlockUpdate, Container, SiteBlock, SitePreview, SiteRecord } from './schemas/site.js'
import { type SiteRouteDeps, siteAccess } from './sites.js'

export type SiteBlockRouteDeps = SiteRouteDeps & BlockDeps & { readonly sitePages: SiteDrafts }

export function siteBlockRoutes(http: TypedFastify, deps: SiteBlockRouteDeps): void {
  const { etag, readable, writable } = siteAccess(deps)
  const tag = 'Sites'
  const block = tagged(SiteBlock, 'The block. The ETag is that of the site')

  async function send(
    reply: { header(name: string, value: string): unknown },
    { site, blockId }: Awaited<ReturnType<typeof createBlock>>,
  ) {
    const seen = await withLinks(deps, site)
    reply.header('etag', etag(seen))
    return presentBlock(seen, blockId, deps)
  }

  route(http, tag, 'createSiteBlock: POST /v4/sites/:site_id/blocks', {
    scope: 'sites',
    access: writable,
    summary: 'Add a block to a site',
    description:
      'At the end of the page, or of the grid or carousel that contains it. A site has at most 200 blocks. ' +
      'A URL that becomes a short link also needs the scope `links:create`.',
    body: BlockCreate,
    response: { 201: block, ...refusals(402, 404, 417) },
    etag,
    answer: async ({ actor, body }, { site }, reply) =>
      send(reply, await createBlock(deps, actor, site, body.type, blockFrom(body))),
  })

  route(http, tag, 'previewSite: POST /v4/sites/:site_id/preview', {
    scope: ['links:read', 'sites'],
    access: readable,
    summary: 'Draw the draft of a site',
    description:
      'Our addition: the page as visitors would see it now, with what is typed and not saved yet. Nothing is stored, and no ' +
      'short link is made.',
    body: SitePreview,
    response: { 200: Type.Object({ html: Type.String({ description: 'The page' }) }), ...refusals(404) },
    answer: async ({ actor, body }, { site }) => {
      const { display_name: displayName, description, appearance, block } = body
      const { block_id: id, type, ...change } = block ?? {}
      const draft = await previewDraft(deps, actor, site, {
        displayName,
        description,
        appearance: appearance && appearanceFrom(appearance),
        block: block && { id, type, ...blockFrom(change) },
      })
      return { html: await deps.sitePages.draw(site, draft) }
    },
  })

  route(http, tag, 'updateSiteBlock: PATCH /v4/sites/:site_id/blocks/:block_id', {
    scope: 'sites',
    access: writable,
    summary: 'Change a block of a site',
    description: 'What is not sent stays. The type stays, too.',
    body: BlockUpdate,
    response: { 200: block, ...refusals(402, 404, 417) },
    etag,
    answer: async ({ actor, body, params }, { site }, reply) =>
      send(reply, await updateBlock(deps, actor, site, params.block_id, blockFrom(body))),
  })

  route(http, tag, 'deleteSiteBlock: DELETE /v4/sites/:site_id/blocks/:block_id', {
    scope: 'sites',
    access: writable,
    summary: 'Delete a block of a site',
    description: 'A grid or carousel takes its blocks with it. The short links behind them stay.',
    response: { 204: Type.Null({ description: 'It was deleted' }), ...refusals(404) },
    etag,
    answer: async ({ params }, { site }, reply) => {
      const changed = await deleteBlock(deps, site, params.block_id)
      reply.header('etag', etag(await withLinks(deps, changed)))
      return null
    },
  })

  route(http, tag, 'sortSiteBlocks: PUT /v4/sites/:site_id/blocks/order', {
    scope: 'sites',
    access: writable,
    summary: 'Put the blocks of a site in another order',
    description: 'In one step. Blocks in a grid or carousel are ordered among themselves.',
    body: BlockOrder,
    response: { 200: tagged(SiteRecord, 'The site with its blocks'), ...refusals(404) },
    etag,
    answer: async ({ body }, { site }, reply) => {
      const order = body.block_order.map(({ block_id: id, sort_order: sortOrder }) => ({ id, sortOrder }))
      const seen = await withLinks(deps, await sortBlocks(deps, site, order))
      reply.header('etag', etag(seen))
      return presentSite(seen, deps, true)
    },
  })

  route(http, tag, 'createSiteContainer: POST /v4/sites/:site_id/containers', {
    scope: 'sites',
    access: writable,
    summary: 'Add a grid or a carousel to a site',
    description: 'It shows the short links, images and videos that name it as their `parent`.',
    body: Container,
    response: { 201: block, ...refusals(402, 404, 422) },
    etag,
    answer: async ({ actor, body: { type, content = {} } }, { site }, reply) =>
      send(reply, await createBlock(deps, actor, site, type, blockFrom({ content }))),
  })
}
