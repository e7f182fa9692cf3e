/** Sites in v4's spelling, and back. */
import type { Static } from 'typebox'
import type { AppearanceInput } from '../../core/sites/appearance.js'
import type { BlockInput } from '../../core/sites/blocks.js'
import { type ContentInput, cropText } from '../../core/sites/content.js'
import { orderedBlocks } from '../../core/sites/edit.js'
import type { SeenSite } from '../../core/sites/read.js'
import {
  type Appearance,
  type Block,
  isEdited,
  linkIdsOf,
  type SiteDocument,
  type SiteRedirect,
  type TextAppearance,
} from '../../core/sites/site.js'
import { type Template, templatesWrittenAt } from '../../core/sites/templates.js'
import { embedUrl, thumbnailUrl } from '../../core/sites/youtube.js'
import { timestamp } from '../../core/values/time.js'
import { etagOf } from '../http/etag.js'
import { type PresentDeps, presentRule, shortUrl } from './present.js'
import type { BlockBody, BlockContent, BlockUpdate, ContentBody, SiteBody, TemplateBody } from './schemas/site.js'
import { type AppearanceBody, headerNames, isNamed, type Names, pageNames } from './schemas/site-appearance.js'

export function presentSite({ site, links }: SeenSite, deps: PresentDeps, withBlocks = false): SiteBody {
  const { draft, redirects, address } = site
  const active = redirects.filter(({ status }) => status === 'active')
  return {
    site_guid: site.guid,
    group_guid: site.groupGuid,
    status: site.status,
    is_edited: isEdited(site),
    url: shortUrl(address, deps),
    content: { display_name: draft.displayName, description: draft.description },
    appearance: presentAppearance(draft.appearance, deps),
    button_count: draft.blocks.filter(leadsSomewhere).length,
    ...(site.publishedAt !== undefined && { last_published: timestamp(site.publishedAt) }),
    created: timestamp(site.createdAt),
    modified: timestamp(site.modifiedAt),
    ...(site.qrCodeId !== undefined && { qr_code_id: site.qrCodeId }),
    redirects: active.map((redirect) => presentRedirect(site.guid, address, redirect, deps)),
    ...(withBlocks && { blocks: presentBlocks({ site, links }, deps) }),
  }
}

/** Of the site with everything that its owners see. */
export function siteEtag(seen: SeenSite, deps: PresentDeps): string {
  return etagOf(presentSite(seen, deps, true))
}

export function presentBlock(seen: SeenSite, blockId: string, deps: PresentDeps): BlockBody {
  const block = presentBlocks(seen, deps).find(({ block_id }) => block_id === blockId)
  if (!block) throw new Error(`the block ${blockId} is not in the site`)
  return block
}

export function presentTemplate(template: Template, deps: PresentDeps): TemplateBody {
  const { guid, displayName, description, appearance, categories } = template
  const written = timestamp(templatesWrittenAt)
  return {
    template_guid: guid,
    content: { display_name: displayName, description },
    appearance: presentAppearance(appearance, deps),
    blocks: presentBlocksOf('', template, new Map(), deps),
    status: 'active',
    categories: [...categories],
    created: written,
    modified: written,
    is_active: true,
    is_paid: false,
  }
}

function presentBlocks({ site, links }: SeenSite, deps: PresentDeps): BlockBody[] {
  return presentBlocksOf(site.guid, site.draft, links, deps)
}

function presentBlocksOf(
  siteGuid: string,
  document: Pick<SiteDocument, 'blocks'>,
  links: LinksById,
  deps: PresentDeps,
): BlockBody[] {
  return orderedBlocks(document).map(({ block, order }) => {
    const { content, appearance, scheduleStart, scheduleEnd, containerId } = block
    const scheme = 'url' in content && content.url !== undefined ? content.url.split(':', 1)[0] : undefined
    return {
      site_id: siteGuid,
      block_id: block.id,
      sort_order: order,
      ...(scheduleStart !== undefined && { schedule_start: timestamp(scheduleStart) }),
      ...(scheduleEnd !== undefined && { schedule_end: timestamp(scheduleEnd) }),
      is_active: block.isActive,
      is_pinned: block.isPinned,
      is_sample: block.isSample,
      type: block.type,
      ...(containerId !== undefined && { container_id: containerId }),
      ...(scheme !== undefined && { scheme }),
      content: presentContent(block, links, deps),
      ...(appearance && { appearance: presentText(appearance) }),
    }
  })
}

type LinksById = SeenSite['links']

function presentContent(block: Block, links: LinksById, deps: PresentDeps): Static<typeof BlockContent> {
  const shared = {
    ...('title' in block.content && block.content.title !== undefined && { link_title: block.content.title }),
    ...('description' in block.content &&
      block.content.description !== undefined && { description: block.content.description }),
    ...presentPicture(block.content, deps),
    ...('aspectRatio' in block.content &&
      block.content.aspectRatio !== undefined && { aspect_ratio: block.content.aspectRatio }),
    ...('linkId' in block.content &&
      block.content.linkId !== undefined &&
      presentLinkOf(block.content.linkId, links, deps)),
  }
  switch (block.type) {
    case 'shortlink': {
      const { url, layout } = block.content
      return { ...shared, ...(url !== undefined && { url }), ...(layout && { layout }) }
    }
    case 'social':
      return { channel: block.content.channel, channel_url: block.content.url, url: block.content.url }
    case 'youtubeVideo': {
      const { videoId } = block.content
      return { ...shared, video_url: embedUrl(videoId), thumbnail_url: thumbnailUrl(videoId) }
    }
    case 'digital_business_card': {
      const { firstName, lastName, jobTitle, company, pronouns, contacts, file, layout } = block.content
      return {
        ...shared,
        digital_business_card_id: block.id,
        layout,
        ...(firstName !== undefined && { first_name: firstName }),
        ...(lastName !== undefined && { last_name: lastName }),
        ...(jobTitle !== undefined && { job_title: jobTitle }),
        ...(company !== undefined && { company }),
        ...(pronouns !== undefined && { pronouns }),
        contacts: contacts.map(({ method, label, value, linkId }, order) => ({
          contact_method: method,
          method_type: label,
          value,
          sort_order: order,
          ...(linkId !== undefined && { shortlink_id: deps.domains.shown(linkId) }),
        })),
        download_enabled: block.content.isDownloadable,
        ...(file && { file: { file_name: file.name, data: file.text } }),
      }
    }
    case 'text_block':
      return { text: block.content.text }
    default:
      return shared
  }
}

function presentPicture(content: Block['content'], deps: PresentDeps) {
  const imageGuid = 'imageGuid' in content ? content.imageGuid : undefined
  const crop = 'crop' in content ? content.crop : undefined
  return {
    ...(imageGuid !== undefined && { image_guid: imageGuid, image_url: imageUrl(imageGuid, deps) }),
    ...(crop && { crop: cropText(crop) }),
  }
}

function presentLinkOf(linkId: string, links: LinksById, deps: PresentDeps) {
  const link = links.get(linkId)
  const shown = deps.domains.shown(linkId)
  const info = link
    ? {
        long_url: link.longUrl,
        ...(link.expiresAt !== undefined && { expiration_at: Math.floor(link.expiresAt / 1000) }),
        has_override: link.keywords.length > 0,
        is_override: false,
        is_deleted: false,
        ...(link.routing.length > 0 && { dynamic_routing: link.routing.map(presentRule) }),
      }
    : { is_deleted: true }
  return {
    shortlink_id: shown,
    domain: shown.slice(0, shown.indexOf('/')),
    link_info: { link: shortUrl(linkId, deps), ...info },
  }
}

function leadsSomewhere(block: Block): boolean {
  if (block.type === 'social') return true
  return linkIdsOf(block).length > 0 || ('url' in block.content && block.content.url !== undefined)
}

function presentRedirect(
  siteGuid: string,
  present: string,
  { guid, address, createdAt, modifiedAt }: SiteRedirect,
  { domains }: PresentDeps,
): SiteBody['redirects'][number] {
  const [former, now] = [domains.shown(address), domains.shown(present)]
  return {
    redirect_guid: guid,
    microsite_guid: siteGuid,
    uri: former,
    domain: former.slice(0, former.indexOf('/')),
    keyword: former.slice(former.indexOf('/') + 1),
    redirect_uri: now,
    redirect_domain: now.slice(0, now.indexOf('/')),
    redirect_keyword: now.slice(now.indexOf('/') + 1),
    status: 'active',
    created: timestamp(createdAt),
    modified: timestamp(modifiedAt),
  }
}

export function imageUrl(imageGuid: string, { config: { baseUrl } }: PresentDeps): string {
  return `${baseUrl}/v4/images/${imageGuid}/file`
}

function presentAppearance({ header, ...page }: Appearance, deps: PresentDeps): AppearanceBody {
  const { backgroundImageGuid, avatarImageGuid } = page
  const { bannerImageGuid } = header
  const header_appearance = {
    ...renamed(headerNames, header, 'to the wire'),
    ...(bannerImageGuid !== undefined && { banner_image_url: imageUrl(bannerImageGuid, deps) }),
  }
  return {
    ...renamed(pageNames, page, 'to the wire'),
    header_appearance,
    ...(backgroundImageGuid !== undefined && {
      background_image_url: imageUrl(backgroundImageGuid, deps),
      background_image_guid: backgroundImageGuid,
    }),
    ...(avatarImageGuid !== undefined && {
      avatar_image_url: imageUrl(avatarImageGuid, deps),
      avatar_image_guid: avatarImageGuid,
    }),
  }
}

export function appearanceFrom(body: AppearanceBody): AppearanceInput {
  const { header_appearance: header = {} } = body
  return {
    ...renamed(pageNames, body, 'from the wire'),
    backgroundImageGuid: body.background_image_guid ?? body.background_image_url,
    avatarImageGuid: body.avatar_image_guid ?? body.avatar_image_url,
    header: { ...renamed(headerNames, header, 'from the wire'), bannerImageGuid: header.banner_image_url },
  }
}

/** The fields that core has too. */
function renamed(names: Names, values: object, direction: 'to the wire' | 'from the wire'): object {
  const entries = Object.entries(names).flatMap(([wire, named]) => {
    if (!isNamed(named)) return []
    const [from, to] = direction === 'to the wire' ? [named[0], wire] : [wire, named[0]]
    return [[to, Reflect.get(values, from)] as const]
  })
  return Object.fromEntries(entries)
}

function presentText({ backgroundColor, textColor, alignment, fontSize, ...style }: TextAppearance) {
  const { bold, italic, underline } = style
  return {
    ...(backgroundColor !== undefined && { background_color: backgroundColor }),
    ...(textColor !== undefined && { text_color: textColor }),
    ...(alignment && { alignment }),
    ...(fontSize && { font_size: fontSize }),
    text_block_style: { bold: bold ?? false, italic: italic ?? false, underline: underline ?? false },
    shape: 0,
    shadow: 0,
  }
}

export function blockFrom(body: Static<typeof BlockUpdate>): BlockInput {
  const { content, appearance } = body
  return {
    scheduleStart: body.schedule_start,
    scheduleEnd: body.schedule_end,
    isActive: body.is_active,
    isPinned: body.is_pinned ?? content?.is_pinned,
    parent: body.parent,
    content: content && contentFrom(content),
    appearance: appearance && {
      backgroundColor: appearance.background_color,
      textColor: appearance.text_color,
      alignment: appearance.alignment,
      fontSize: appearance.font_size,
      bold: appearance.text_block_style?.bold,
      italic: appearance.text_block_style?.italic,
      underline: appearance.text_block_style?.underline,
    },
  }
}

function contentFrom(content: ContentBody): ContentInput {
  const { contacts, file } = content
  return {
    shortlinkId: content.shortlink_id,
    url: content.url,
    domain: content.domain,
    linkTitle: content.link_title,
    description: content.description,
    imageGuid: content.image_guid,
    imageUrl: content.image_url,
    crop: content.crop,
    videoUrl: content.video_url,
    channel: content.channel,
    aspectRatio: content.aspect_ratio,
    layout: content.layout,
    firstName: content.first_name,
    lastName: content.last_name,
    pronouns: content.pronouns,
    company: content.company,
    jobTitle: content.job_title,
    contacts: contacts?.map((contact) => ({
      method: contact.contact_method,
      label: contact.method_type ?? 'no_label',
      value: contact.value,
      order: contact.sort_order,
      shortlinkId: contact.shortlink_id,
    })),
    downloadEnabled: content.download_enabled,
    file: file && { fileName: file.file_name, data: file.data },
    text: content.text,
  }
}
