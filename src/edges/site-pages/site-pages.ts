/**
 * Pages of sites, rendered when first asked for and kept with their target. A page is right as long as the redirect cache
 * holds the same targets, of the page and of all links on it, and nothing of its schedule has come: whatever changes one
 * of them makes the cache forget it, in every process.
 */
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Domains } from '../../core/domains/domains.js'
import type { Image } from '../../core/images/image.js'
import type { ImageStore } from '../../core/images/image-store.js'
import type { Target } from '../../core/links/link.js'
import type { RedirectCache } from '../../core/links/redirect-cache.js'
import { businessCard, nameOf } from '../../core/sites/business-card.js'
import type { PreviewedDraft } from '../../core/sites/preview.js'
import { linkIdsOf, type Site, type SiteDocument, usesOf } from '../../core/sites/site.js'
import type { LiveSite, SiteStore } from '../../core/sites/site-store.js'
import { type VisibleBlock, visible } from '../../core/sites/visible.js'
import type { Clock } from '../../core/values/time.js'
import { chunks } from '../../lib/chunks.js'
import { SizedMap } from '../../lib/sized-map.js'
import { type Encoding, encodingFor } from '../http/compress.js'
import { isKnown } from '../http/etag.js'
import type { SiteAnswer, SiteDrafts, SitePage, SitePages } from '../http/site-page.js'
import { renderPage } from './page.js'
import { type PreviewDeps, PreviewPictures, perAnswer } from './preview.js'

export interface SitePagesDeps extends PreviewDeps {
  readonly redirectCache: Pick<RedirectCache, 'peek' | 'load'>
  readonly sites: Pick<SiteStore, 'live'>
  readonly images: Pick<ImageStore, 'find'>
  readonly domains: Pick<Domains, 'urlOf'>
  readonly clock: Clock
  readonly config: { readonly baseUrl: string }
}

interface Shown {
  /** `null`: the address shows nothing. */
  readonly page: SitePage | null
  /** What the cache held of the links on the page. */
  readonly links: ReadonlyMap<string, Target | null>
  readonly until: number
  /** When its schedule changes it. */
  readonly changes: number
  /** About what it takes in memory. */
  readonly bytes: number
}

interface Kept extends Shown {
  readonly target: Target
}

/** A page that takes its size with it. */
type Rendered = Pick<Shown, 'page' | 'bytes'>

/** Names of domains and images may change as well, so a page is not kept for longer. */
const longest = 60_000

/** How long a page stays as it was before the store is asked again, while the store fails. */
const staleFor = 1000

/** Our choice, together 64 MB: pages of some kilobytes, and pictures of up to some hundred. */
const mostBytes = { pages: 48 * 2 ** 20, pictures: 16 * 2 ** 20 }

/** A target that is kept with a page. */
const perLink = 500

/** Links and images that are looked up at the same time: the database has connections for other visitors, too. */
const atOnce = 8

export class RenderedSitePages implements SitePages, SiteDrafts {
  readonly #deps: SitePagesDeps
  /** By the address of their target. */
  readonly #kept: SizedMap<string, Kept>
  readonly #previews: PreviewPictures
  readonly #loading = new WeakMap<Target, Promise<SitePage | null>>()

  constructor(deps: SitePagesDeps, most = mostBytes) {
    this.#deps = deps
    this.#kept = new SizedMap(most.pages)
    this.#previews = new PreviewPictures(deps, most.pictures)
  }

  peek(target: Target, now: number): SitePage | null | undefined {
    const kept = this.#kept.get(target.address)
    if (kept?.target !== target || now >= kept.until || now < kept.until - longest) return undefined
    const { redirectCache } = this.#deps
    for (const [id, link] of kept.links) if (redirectCache.peek(id, now) !== link) return undefined
    return kept.page
  }

  /** Visitors of the same page wait for the first one. */
  load(target: Target): Promise<SitePage | null> {
    const loading = this.#loading.get(target) ?? this.#load(target).finally(() => this.#loading.delete(target))
    this.#loading.set(target, loading)
    return loading
  }

  async #load(target: Target): Promise<SitePage | null> {
    const shown = await this.#shown(target).catch((error: unknown) => this.#former(target, error))
    this.#kept.set(target.address, { target, ...shown }, shown.bytes + perLink * shown.links.size)
    return shown.page
  }

  async #shown(target: Target): Promise<Shown> {
    const { clock, sites } = this.#deps
    const until = clock.now() + longest
    const site = target.rules?.site === undefined ? undefined : await sites.live(target.rules.site)
    return { ...nothing, until, ...(site && (await this.#show(site, target))) }
  }

  /** While the store fails, a page stays as it was until its schedule changes it. Redirects keep their targets, too. */
  #former(target: Target, error: unknown): Shown {
    const kept = this.#kept.get(target.address)
    const now = this.#deps.clock.now()
    if (kept?.target !== target || now >= kept.changes) throw error
    return { ...kept, links: new Map(), until: Math.min(now + staleFor, kept.changes) }
  }

  async #show(site: LiveSite, { address }: Target): Promise<Partial<Shown>> {
    if (site.forwarded.includes(address)) return { page: movedTo(this.#urlOf(site.address)) }
    if (address !== site.address && address !== site.linkId) return {}
    const { document } = site
    const [links, images] = await Promise.all([this.#linksOf(document), this.#imagesOf(document)])
    const now = this.#deps.clock.now()
    const { blocks, until: changes = Number.POSITIVE_INFINITY } = visible(document, { targets: links, images }, now)
    const rendered = await this.#render(site, blocks, images)
    return { ...rendered, links, changes, until: Math.min(changes, now + longest) }
  }

  /** Blocks that lead to a URL without a short link lead to the URL itself. */
  async draw(
    { guid, address }: Pick<Site, 'guid' | 'address'>,
    { document, newLinks }: PreviewedDraft,
  ): Promise<string> {
    const now = this.#deps.clock.now()
    const [links, images] = await Promise.all([this.#linksOf(document, newLinks), this.#imagesOf(document)])
    const { blocks } = visible(document, { targets: links, images }, now)
    // On the host of the dashboard, whose policy allows no other.
    return this.#drawn({ guid, address, document }, blocks, images)('/v4/images', '').html
  }

  #drawn(
    { guid, address, document }: Pick<LiveSite, 'guid' | 'address' | 'document'>,
    blocks: readonly VisibleBlock[],
    images: ReadonlyMap<string, Image>,
  ) {
    return (imagesAt: string, previewUrl: string) =>
      renderPage({
        guid,
        url: this.#urlOf(address),
        document,
        blocks,
        images,
        imageUrl: (image) => `${imagesAt}/${image}/file`,
        urlOf: ({ linkId, address: link, longUrl }) => (linkId === undefined ? longUrl : this.#urlOf(link)),
        previewUrl,
      })
  }

  async #linksOf(
    document: SiteDocument,
    newLinks: ReadonlyMap<string, string> = new Map(),
  ): Promise<ReadonlyMap<string, Target | null>> {
    const { redirectCache, clock } = this.#deps
    const ids = [...new Set(document.blocks.flatMap(linkIdsOf))]
    const found = await eachOf(ids, async (id) => {
      const longUrl = newLinks.get(id)
      if (longUrl !== undefined) return targetTo(longUrl, id)
      const known = redirectCache.peek(id, clock.now())
      return known === undefined ? redirectCache.load(id) : known
    })
    return new Map(ids.map((id, at) => [id, found[at] ?? null]))
  }

  async #imagesOf(document: SiteDocument): Promise<ReadonlyMap<string, Image>> {
    const { images } = this.#deps
    const found = await eachOf([...usesOf(document).imageGuids], (guid) => images.find(guid))
    return new Map(found.flatMap((image) => (image ? [[image.guid, image] as const] : [])))
  }

  async #render(
    { guid, address, document }: LiveSite,
    blocks: readonly VisibleBlock[],
    images: ReadonlyMap<string, Image>,
  ): Promise<Rendered> {
    const { baseUrl } = this.#deps.config
    const url = this.#urlOf(address)
    const { displayName, description, appearance } = document
    const avatar = images.get(appearance.avatarImageGuid ?? '')
    const preview = this.#previews.of({ url, displayName, description, appearance, avatar })
    const drawn = this.#drawn({ guid, address, document }, blocks, images)
    const { html, style } = drawn(`${baseUrl}/v4/images`, `${url}?preview=${preview.version}`)
    const policy = policyOf(style, new URL(baseUrl).origin)
    const { etag, unchanged, ...full } = await packed(Buffer.from(html), policy)
    const cards = cardsOf(blocks, url)
    const page: SitePage = ({ query, ifNoneMatch, acceptEncoding }) => {
      if (query !== '') {
        const asked = new URLSearchParams(query)
        const card = cards.get(asked.get('card') ?? '')
        if (card) return card
        if (asked.has('preview')) return preview.answer(ifNoneMatch)
      }
      if (isKnown(ifNoneMatch, etag)) return unchanged
      const encoding = acceptEncoding === undefined ? undefined : encodingFor(acceptEncoding)
      return encoding === undefined ? full.plain : full[encoding]
    }
    const answers: readonly SiteAnswer[] = [...Object.values(full), ...cards.values()]
    return { page, bytes: answers.reduce((sum, { body }) => sum + perAnswer + (body?.length ?? 0), 0) }
  }

  #urlOf(address: string): string {
    const { domains, config } = this.#deps
    return domains.urlOf(address, config.baseUrl)
  }
}

/** Of a link that is not made yet. */
function targetTo(longUrl: string, address: string): Target {
  const absent = { linkId: undefined, groupGuid: undefined, deletedAt: undefined, rules: undefined }
  return { ...absent, address, longUrl, createdAt: 0 } as Target
}

/**
 * The former address of a page. It can become the present one again at any time, and a browser that remembered the
 * redirect would go round in circles. A scan of the QR code stays a scan.
 */
function movedTo(url: string): SitePage {
  const to = (location: string): SiteAnswer => ({
    status: 302,
    headers: ['Location', location, 'Cache-Control', 'private, no-cache', 'Content-Length', '0'],
    counts: undefined,
  })
  const { href } = new URL(url)
  const [visited, scanned] = [to(href), to(`${href}?r=qr`)]
  return ({ query }) => (new URLSearchParams(query).get('r') === 'qr' ? scanned : visited)
}

const nothing: Omit<Shown, 'until'> = {
  page: null,
  links: new Map(),
  changes: Number.POSITIVE_INFINITY,
  bytes: perAnswer,
}

/** Some of them at the same time. */
async function eachOf<T, Found>(items: readonly T[], find: (item: T) => Promise<Found>): Promise<readonly Found[]> {
  const found: Found[] = []
  for (const some of chunks(items, atOnce)) found.push(...(await Promise.all(some.map(find))))
  return found
}

/** A page runs nothing, loads nothing but images of this service, and is in no frame but one of the dashboard. */
function policyOf(style: string, images: string): string {
  const hash = createHash('sha256').update(style).digest('base64')
  return `default-src 'none'; style-src 'sha256-${hash}'; img-src ${images}; base-uri 'none'; form-action 'none'; frame-ancestors ${images}`
}

type Packed = Readonly<Record<'plain' | 'unchanged' | Encoding, SiteAnswer>> & {
  /** A weak one, as the same page is sent in several encodings. */
  readonly etag: string
}

const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }

async function packed(page: Buffer, policy: string): Promise<Packed> {
  const etag = `"${createHash('sha256').update(page).digest('base64url').slice(0, 22)}"`
  const [br, zipped] = await Promise.all([
    promisify(brotliCompress)(page, quality),
    promisify(gzip)(page, { level: 9 }),
  ])
  // Every visit asks, so that every view is counted.
  const always = ['ETag', `W/${etag}`, 'Cache-Control', 'private, no-cache', 'Vary', 'Accept-Encoding']
  const full = (body: Buffer, encoding?: Encoding): SiteAnswer => ({
    status: 200,
    headers: [
      ...always,
      'Content-Type',
      'text/html; charset=utf-8',
      'Content-Length',
      String(body.length),
      ...(encoding === undefined ? [] : ['Content-Encoding', encoding]),
      'Content-Security-Policy',
      policy,
      'X-Content-Type-Options',
      'nosniff',
      'Referrer-Policy',
      'strict-origin-when-cross-origin',
    ],
    body,
    counts: 'view',
  })
  const unchanged = { status: 304, headers: always, counts: 'view' } as const
  return { etag, unchanged, plain: full(page), br: full(br, 'br'), gzip: full(zipped, 'gzip') }
}

/** Of the business cards that are shown, by the id of their block: those that are not shown cannot be downloaded. */
function cardsOf(blocks: readonly VisibleBlock[], url: string): ReadonlyMap<string, SiteAnswer> {
  return new Map(
    blocks.flatMap((block) => {
      if (block.type !== 'digital_business_card' || !block.content.isDownloadable) return []
      const body = Buffer.from(businessCard(block.content, block.contacts, url))
      const name = nameOf(block.content) || 'Contact'
      const file = encodeURIComponent(`${name}.vcf`).replaceAll(
        /['()*]/g,
        (sign) => `%${sign.charCodeAt(0).toString(16)}`,
      )
      const headers = [
        'Content-Type',
        'text/vcard; charset=utf-8',
        'Content-Length',
        String(body.length),
        'Content-Disposition',
        `attachment; filename="contact.vcf"; filename*=UTF-8''${file}`,
        'Cache-Control',
        'private, no-store',
        'X-Content-Type-Options',
        'nosniff',
      ]
      return [[block.id, { status: 200, headers, body, counts: 'button' }] as const]
    }),
  )
}
