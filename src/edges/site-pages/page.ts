/**
 * A page as HTML: without scripts, with one style sheet inside, and with nothing from elsewhere but images of this
 * service. Texts of its owners are texts (html.ts), and URLs are of the kinds that a page may lead to.
 */
import type { SiteDocument } from '../../core/sites/site.js'
import type { VisibleBlock } from '../../core/sites/visible.js'
import { blocksOf } from './blocks.js'
import { Html, html } from './html.js'
import { channelName, iconOf } from './icons.js'
import { type Look, lookOf } from './look.js'
import { styleOf } from './style.js'
import { directionOf, languageOf, safeUrl } from './texts.js'
import { colorOr } from './themes.js'
import { type PageContent, Writing } from './writing.js'

export interface RenderedPage {
  readonly html: string
  /** The style sheet inside, for the policy of the page. */
  readonly style: string
}

export function renderPage(content: PageContent): RenderedPage {
  const { document, blocks } = content
  const writing = new Writing(content)
  const look = lookOf(document.appearance, textColorsOf(document))
  const name = nameOf(content)
  const { socialIconPosition } = document.appearance
  const social = socialRow(blocks, writing)
  const items = blocksOf(blocks, writing)
  const isAtStart = document.appearance.header.titleAlignment === 'start'
  if (isAtStart) writing.uses('start')
  const main = html`${backgroundOf(writing)}<main${isAtStart && html` class="st"`}>
${headerOf(name, writing)}
${socialIconPosition === 'top' && social}${items.length > 0 && html`<ul class="bl" role="list">\n${items}</ul>`}
${socialIconPosition === 'bottom' && social}</main>
${!document.appearance.hidesLogo && madeWith}`
  const style = styleOf(look, writing.styles, writing.rules)
  const texts = `${document.displayName} ${document.description}`
  const page = html`<!doctype html>
<html lang="${languageOf(texts)}" dir="${directionOf(texts)}">
<head>
${headOf(name, look, content)}
<style>${new Html(style)}</style>
</head>
<body>
${main}
</body>
</html>
`
  return { html: page.text, style }
}

function nameOf({ document, url }: PageContent): string {
  return document.displayName.trim() || url.replace(/^https?:\/\//, '').replace(/\/$/, '')
}

/** Of text blocks on the ground of the page. */
function textColorsOf({ blocks }: SiteDocument): readonly string[] {
  return blocks.flatMap(({ type, appearance: { textColor, backgroundColor } = {} }) =>
    type === 'text_block' && textColor !== undefined && !backgroundColor ? [colorOr(textColor, '#000000')] : [],
  )
}

function headOf(name: string, look: Look, content: PageContent): Html {
  const { url, document, blocks, previewUrl, images, imageUrl } = content
  const about = document.description.trim().replaceAll(/\s+/g, ' ')
  const avatar = images.get(document.appearance.avatarImageGuid ?? '')
  const lines = [
    html`<meta charset="utf-8">`,
    html`<meta name="viewport" content="width=device-width,initial-scale=1">`,
    html`<title>${name}</title>`,
    about !== '' && html`<meta name="description" content="${about}">`,
    document.appearance.noIndex && html`<meta name="robots" content="noindex">`,
    html`<link rel="canonical" href="${url}">`,
    avatar && html`<link rel="icon" href="${imageUrl(avatar.guid)}">`,
    ...mePages(blocks).map((me) => html`<link rel="me" href="${me}">`),
    html`<meta name="theme-color" content="${look.colors.background}"${look.darkColors && html` media="(prefers-color-scheme:light)"`}>`,
    look.darkColors &&
      html`<meta name="theme-color" content="${look.darkColors.background}" media="(prefers-color-scheme:dark)">`,
    html`<meta property="og:type" content="website">`,
    html`<meta property="og:title" content="${name}">`,
    about !== '' && html`<meta property="og:description" content="${about}">`,
    html`<meta property="og:url" content="${url}">`,
    html`<meta property="og:image" content="${previewUrl}">`,
    html`<meta property="og:image:width" content="1200">`,
    html`<meta property="og:image:height" content="630">`,
    html`<meta property="og:image:alt" content="${name}">`,
    html`<meta name="twitter:card" content="summary_large_image">`,
  ]
  return html`${lines.map((line) => line && html`${line}\n`)}`
}

/** Where the same person or organization is found, so that these places can verify the page. */
function mePages(blocks: readonly VisibleBlock[]): readonly string[] {
  const urls = blocks.flatMap((block) => {
    if (block.type === 'social') return [block.content.url]
    const websites = block.contacts.filter(({ method }) => method === 'website')
    return websites.map(({ value, target }) => target?.longUrl ?? value)
  })
  return [...new Set(urls.map(safeUrl))].filter((url) => url !== undefined && /^https?:/i.test(url)) as string[]
}

function headerOf(name: string, writing: Writing): Html {
  const { appearance, description } = writing.content.document
  const { header } = appearance
  writing.uses('aligned')
  if (header.titleBorderType !== 'none' || header.descriptionBorderType !== 'none') writing.uses('ruled')
  const title = html`<h1 class="${alignments[header.titleAlignment]}${rules[header.titleBorderType]}" dir="auto">${name}</h1>`
  const about =
    description.trim() !== '' &&
    html`<p class="${alignments[header.descriptionAlignment]}${rules[header.descriptionBorderType]}" dir="auto">${description.trim()}</p>`
  const texts = html`<div class="tx">${title}${about}</div>`

  const isContained = header.textLocation === 'contain' && header.bannerType !== 'none'
  const banner = bannerOf(isContained ? texts : undefined, writing)
  const avatar = avatarOf(name, writing)
  if (banner && header.profileImageOverflow) writing.uses('over')
  if (header.textLocation === 'top') return html`<header>${banner}${texts}${avatar}</header>`
  return html`<header>${banner}${avatar}${!isContained && texts}</header>`
}

const alignments = { start: 'tl', center: 'tc' }
const rules = { none: '', below: ' ub', above_and_below: ' ub ua' }

function bannerOf(texts: Html | undefined, writing: Writing): Html | undefined {
  const { header, avatarImageGuid, crops } = writing.content.document.appearance
  if (header.bannerType === 'none') return undefined
  writing.uses('banner')
  if (header.bannerType !== 'hero') writing.uses(header.bannerType)
  if (texts) writing.uses('contained')
  const isRepeating = header.profileImageType === 'repeating'
  const guid = isRepeating ? avatarImageGuid : header.bannerImageGuid
  const tiles = isRepeating || header.bannerImageAlignment === 'repeat' ? writing.tiles(guid) : undefined
  if (tiles !== undefined) return html`<div class="ban ${tiles}">${texts}</div>`
  const picture = writing.picture(guid, { alt: '', crop: crops?.[guid ?? ''], isFirst: true })
  const name = picture ? header.bannerImageAlignment : 'flat'
  return html`<div class="ban ${name}">${picture}${texts}</div>`
}

function avatarOf(name: string, writing: Writing): Html {
  const { avatarImageGuid: guid, crops } = writing.content.document.appearance
  // Its name is beside it.
  const picture = writing.picture(guid, { alt: '', crop: crops?.[guid ?? ''], className: 'av', isFirst: true })
  return picture ?? html`<span class="av" aria-hidden="true">${[...name][0]?.toUpperCase()}</span>`
}

function backgroundOf(writing: Writing): Html | undefined {
  const { stylePreference, backgroundPreference, backgroundImageGuid, backgroundImageAlignment, crops } =
    writing.content.document.appearance
  if (stylePreference !== 'image' && backgroundPreference !== 'image') return undefined
  const image = writing.image(backgroundImageGuid)
  if (!image) return undefined
  writing.uses('picture')
  const crop = crops?.[image.guid]
  if (crop && backgroundImageAlignment !== 'repeat') {
    const picture = writing.picture(image.guid, { alt: '', crop, isFirst: true })
    return html`<div class="bgi ${backgroundImageAlignment}">${picture}</div>`
  }
  const size = { stretch: 'center/cover no-repeat', fit: 'center/contain no-repeat', repeat: 'top left' }
  const own = writing.ownClass(
    `background:url("${writing.content.imageUrl(image.guid)}") ${size[backgroundImageAlignment]}`,
  )
  return html`<div class="bgi ${own}"></div>`
}

function socialRow(blocks: readonly VisibleBlock[], writing: Writing): Html | undefined {
  const { socialIconLayout, socialIconPosition } = writing.content.document.appearance
  const items = blocks.flatMap((block) => {
    const url = block.type === 'social' ? safeUrl(block.content.url) : undefined
    if (block.type !== 'social' || url === undefined) return []
    const { channel } = block.content
    return [
      html`<li><a href="${url}" rel="me" title="${channelName(channel)}">${iconOf(channel)}<span class="v">${channelName(channel)}</span></a></li>`,
    ]
  })
  if (items.length === 0) return undefined
  writing.uses('social')
  if (socialIconLayout === 'buttons') writing.uses('filledSocial')
  return html`<nav class="so ${socialIconPosition}${socialIconLayout === 'buttons' && ' fi'}" aria-label="Profiles"><ul role="list">${items}</ul></nav>\n`
}

const madeWith = html`<footer class="made"><svg class="i" viewBox="0 0 24 24" aria-hidden="true"><path d="M10 14a4.5 4.5 0 0 0 6.4 0l3-3A4.5 4.5 0 0 0 13 4.6l-1.2 1.2M14 10a4.5 4.5 0 0 0-6.4 0l-3 3a4.5 4.5 0 0 0 6.4 6.4l1.2-1.2"/></svg>Made with shortlink</footer>`
