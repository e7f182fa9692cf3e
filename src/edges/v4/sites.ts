/** Sites as a whole (docs/api/sites.md). Their blocks are in site-blocks.ts. */
import { Type } from 'typebox'
import { requireWriter } from '../../core/accounts/actor.js'
import { requireVideo } from '../../core/sites/content.js'
import { applyTemplate, cloneSite, listTemplates } from '../../core/sites/copy.js'
import {
  changeAppearance,
  createSite,
  discardDraft,
  listSites,
  publishSite,
  removeRedirect,
  removeSite,
  type SiteDeps,
  updateSite,
} from '../../core/sites/manage.js'
import { attachImage } from '../../core/sites/pictures.js'
import {
  publishedDocument,
  type ReadSiteDeps,
  readSite,
  type SeenSite,
  withLinks,
  writableSite,
} from '../../core/sites/read.js'
import { isEdited, type Site } from '../../core/sites/site.js'
import { templateCategories } from '../../core/sites/templates.js'
import { embedUrl, thumbnailUrl } from '../../core/sites/youtube.js'
import { sendTagged } from '../http/etag.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { everybody, groupMember, writerOfNamedGroup } from './access.js'
import type { PresentDeps } from './present.js'
import { appearanceFrom, imageUrl, presentSite, presentTemplate, siteEtag } from './present-site.js'
import { type RouteRequest, route } from './route.js'
import { refusals } from './schemas/error.js'
import { named, optionalFlag, optionalText, tagged } from './schemas/fields.js'
import { defaultSize, pageFields, pagination } from './schemas/lists.js'
import {
  ApplyTemplate,
  CreateSite,
  ImageReply,
  Prevalidate,
  Prevalidated,
  SiteClone,
  SiteImage,
  SiteList,
  SiteRecord,
  SiteTemplate,
  siteSchemas,
  UpdateSite,
} from './schemas/site.js'
import { SiteAppearance } from './schemas/site-appearance.js'

export type SiteRouteDeps = SiteDeps & ReadSiteDeps & PresentDeps

/** What the routes of one site have in common. */
export function siteAccess(deps: SiteRouteDeps) {
  const etag = (seen: SeenSite) => siteEtag(seen, deps)
  const send = sendTagged((seen: SeenSite) => presentSite(seen, deps), etag)
  type OfSite = RouteRequest<{ readonly site_id: string }>
  return {
    etag,
    readable: ({ actor, params }: OfSite) => readSite(deps, actor, params.site_id),
    writable: ({ actor, params }: OfSite) => writableSite(deps, actor, params.site_id),
    send: async (reply: Parameters<typeof send>[0], site: Site) => send(reply, await withLinks(deps, site)),
  }
}

const ListQuery = Type.Object({
  ...pageFields('Sites per page', { default: defaultSize }),
  sites_url_param: optionalText('Only the site at this URL'),
})

export function siteRoutes(http: TypedFastify, deps: SiteRouteDeps): void {
  for (const schema of siteSchemas) http.addSchema(schema)
  const { etag, readable, writable, send } = siteAccess(deps)
  const tag = 'Sites'

  route(http, tag, 'createSite: POST /v4/sites', {
    scope: 'sites',
    access: writerOfNamedGroup,
    summary: 'Create a site',
    description:
      'An empty page with the default appearance, which visitors see once it is published. Its address is taken at once.',
    body: CreateSite,
    response: { 201: tagged(SiteRecord, 'The new site'), ...refusals(402, 417) },
    idempotent: true,
    answer: async ({ actor, body }, _granted, reply) =>
      send(reply, await createSite(deps, actor, requireWriter(actor, body.group_guid), body)),
  })

  route(http, tag, 'listGroupSites: GET /v4/groups/:group_guid/sites', {
    scope: ['links:read', 'sites'],
    access: groupMember,
    summary: "List a group's sites",
    description: 'All active ones, newest first.',
    querystring: ListQuery,
    response: { 200: SiteList },
    answer: async ({ params, query, url }) => {
      const { size = defaultSize, search_after: searchAfter, sites_url_param } = query
      const listed = await listSites(deps, params.group_guid, { size, searchAfter, url: sites_url_param })
      return {
        group_guid: params.group_guid,
        sites: listed.sites.map((site) => presentSite({ site, links: new Map() }, deps)),
        pagination: pagination(deps.config.baseUrl + url, listed.searchAfter, size),
      }
    },
  })

  route(http, tag, 'getSite: GET /v4/sites/:site_id', {
    scope: ['links:read', 'sites'],
    access: readable,
    summary: 'Get a site',
    description: 'As its owners see it: name, appearance and blocks are those of the draft.',
    querystring: Type.Object({
      include_blocks: optionalFlag('With the blocks'),
      version: Type.Optional(
        Type.Unsafe<'draft' | 'live'>(
          Type.Enum(['draft', 'live'], {
            type: 'string',
            description: 'Our addition: `live` is what visitors see. The draft by default',
          }),
        ),
      ),
    }),
    response: { 200: tagged(SiteRecord, 'The site'), ...refusals(404) },
    etag,
    answer: async ({ query }, seen) => {
      const { version, include_blocks } = query
      const shown =
        version === 'live' ? await withLinks(deps, { ...seen.site, draft: publishedDocument(seen.site) }) : seen
      return { ...presentSite(shown, deps, include_blocks), is_edited: isEdited(seen.site) }
    },
  })

  route(http, tag, 'updateSite: PATCH /v4/sites/:site_id', {
    scope: 'sites',
    access: writable,
    summary: 'Change the name, the description or the address of a site',
    description:
      'Name and description change the draft. A new address is live at once, with the name and description that are sent ' +
      'together with it; the former address redirects to it.',
    body: UpdateSite,
    response: { 200: tagged(SiteRecord, 'The site'), ...refusals(402, 404, 417) },
    etag,
    answer: async ({ actor, body }, { site }, reply) => {
      const { uri, display_name: displayName, description, qr_code_id: qrCodeId } = body
      return send(reply, await updateSite(deps, actor, site, { uri, displayName, description, qrCodeId }))
    },
  })

  route(http, tag, 'deleteSite: DELETE /v4/sites/:site_id', {
    scope: 'sites',
    access: writable,
    summary: 'Deactivate a site',
    description: 'At once: its addresses lead nowhere, and stay its own. Publishing it makes it active again.',
    response: { 204: Type.Null({ description: 'It is inactive' }), ...refusals(404) },
    etag,
    answer: async ({ actor }, { site }) => {
      await removeSite(deps, actor, site)
      return null
    },
  })

  route(http, tag, 'discardSiteDraft: DELETE /v4/sites/:site_id/draft', {
    scope: 'sites',
    access: writable,
    summary: 'Discard the draft of a site',
    description: 'The draft is as what visitors see again.',
    response: { 204: Type.Null({ description: 'The draft was discarded' }), ...refusals(404, 422) },
    etag,
    answer: async ({ actor }, { site }) => {
      await discardDraft(deps, actor, site)
      return null
    },
  })

  route(http, tag, 'publishSite: POST /v4/sites/:site_id/publish', {
    scope: 'sites',
    access: writable,
    summary: 'Publish a site',
    description: 'Visitors see the draft from now on.',
    response: { 201: tagged(SiteRecord, 'The site'), ...refusals(402, 404) },
    etag,
    answer: async ({ actor }, { site }, reply) => send(reply, await publishSite(deps, actor, site)),
  })

  route(http, tag, 'updateSiteAppearance: PUT /v4/sites/:site_id/appearance', {
    scope: 'sites',
    access: writable,
    summary: 'Replace the appearance of a site',
    description:
      'Of the draft. What is not sent is as by default. Texts must be readable: a contrast of at least 4.5:1 with their ' +
      'background, icons of 3:1.',
    body: Type.Object(SiteAppearance.properties),
    response: { 204: Type.Null({ description: 'It was replaced' }), ...refusals(404) },
    etag,
    answer: async ({ actor, body }, { site }, reply) => {
      const changed = await changeAppearance(deps, actor, site, appearanceFrom(body))
      reply.header('etag', etag(await withLinks(deps, changed)))
      return null
    },
  })

  route(http, tag, 'cloneSite: POST /v4/sites/:site_id/clone', {
    scope: 'sites',
    access: writable,
    summary: 'Copy a site',
    description: 'With the blocks and the appearance of its draft. Short links are shared, not copied.',
    body: SiteClone,
    response: { 201: tagged(SiteRecord, 'The copy'), ...refusals(402, 404, 417) },
    answer: async ({ actor, body }, { site }, reply) => send(reply, await cloneSite(deps, actor, site, body.uri)),
  })

  route(http, tag, 'applySiteTemplate: POST /v4/sites/:site_id/template', {
    scope: 'sites',
    access: writable,
    summary: 'Apply a template to a site',
    description:
      'Replaces the appearance of the draft, and the samples of a former template. Blocks, texts and the picture of the ' +
      'owners stay.',
    body: ApplyTemplate,
    response: { 200: tagged(SiteRecord, 'The site'), ...refusals(404, 422) },
    etag,
    answer: async ({ actor, body }, { site }, reply) =>
      send(reply, await applyTemplate(deps, actor, site, body.template_guid)),
  })

  route(http, tag, 'listSiteTemplates: GET /v4/site_templates', {
    scope: ['links:read', 'sites'],
    access: everybody,
    summary: 'List the templates of sites',
    description: 'The same for everybody.',
    querystring: Type.Object({
      category: Type.Optional(
        Type.String({ enum: [...templateCategories], description: 'Only those of this category' }),
      ),
    }),
    response: { 200: Type.Array(named(SiteTemplate, 'A template'), { description: 'Templates' }) },
    answer: async ({ query }) => listTemplates(query.category).map((template) => presentTemplate(template, deps)),
  })

  route(http, tag, 'attachSiteImage: POST /v4/sites/:site_id/images', {
    scope: 'sites',
    access: writable,
    summary: 'Attach an image to a site',
    description:
      'An image of the organization that was uploaded before, as the picture of the owner or as a background.',
    body: SiteImage,
    response: { 201: ImageReply, ...refusals(404) },
    etag,
    answer: async ({ actor, body }, { site }, reply) => {
      const { image_guid: imageGuid, url, image_use: use = 'profile', crop } = body
      const attached = await attachImage(deps, actor, site, { imageGuid, url, use, crop })
      reply.header('etag', etag(await withLinks(deps, attached.site)))
      return { image_guid: attached.imageGuid, image_url: imageUrl(attached.imageGuid, deps) }
    },
  })

  route(http, tag, 'removeSiteRedirect: DELETE /v4/sites/:site_id/redirects/:domain/:keyword', {
    scope: 'sites',
    access: writable,
    summary: 'Remove a redirect of a site',
    description: 'The former address leads nowhere from now on, and nobody else gets it.',
    params: {
      domain: Type.String({ description: 'Domain of the former address', examples: ['go.example.com'] }),
      keyword: Type.String({ description: 'What follows it, with `%2F` for its slashes', examples: ['m/anna'] }),
    },
    response: { 204: Type.Null({ description: 'It was removed' }), ...refusals(404) },
    etag,
    answer: async ({ actor, params }, { site }) => {
      await removeRedirect(deps, actor, site, params)
      return null
    },
  })

  route(http, tag, 'prevalidateSiteVideo: POST /v4/sites/:site_id/buttons/youtubeVideo/prevalidate', {
    scope: 'sites',
    access: writable,
    summary: 'Check a video before it is added',
    description: 'By the syntax of its id: nobody is asked whether it exists. Nothing is stored.',
    body: Prevalidate,
    response: { 200: Prevalidated, ...refusals(404, 422) },
    answer: async ({ body }, { site }) => {
      const videoId = requireVideo(body.video_id, 'videoId')
      return {
        video_url: embedUrl(videoId),
        thumbnail_url: thumbnailUrl(videoId),
        link_title: '',
        domain: deps.domains.preferredBy(site.groupGuid).name,
      }
    },
  })
}
