/** The blocks of a page, each as an item of its list. */
import { nameOf } from '../../core/sites/business-card.js'
import { contrast, leastContrast } from '../../core/sites/contrast.js'
import type { Contact, LinkContent } from '../../core/sites/site.js'
import type { VisibleBlock, VisibleContact } from '../../core/sites/visible.js'
import { type Html, html } from './html.js'
import { iconOf } from './icons.js'
import { readableOn } from './look.js'
import { hostOf, safeUrl } from './texts.js'
import { colorOr, palettesOf } from './themes.js'
import type { Writing } from './writing.js'

export function blocksOf(blocks: readonly VisibleBlock[], writing: Writing): readonly Html[] {
  return blocks.flatMap((block) => {
    const written = blockOf(block, writing)
    return written ? [html`<li>${written}</li>\n`] : []
  })
}

function blockOf(block: VisibleBlock, writing: Writing): Html | undefined {
  switch (block.type) {
    case 'shortlink':
      return linkBlock(block, writing)
    // In one row of the page (page.ts).
    case 'social':
      return undefined
    case 'youtubeVideo':
      return videoBlock(block, writing)
    case 'image':
      return imageBlock(block, writing)
    case 'digital_business_card':
      return personBlock(block, writing)
    case 'text_block':
      return textBlock(block, writing)
    case 'grid':
    case 'carousel':
      return containerBlock(block, writing)
  }
}

function linkBlock({ content, target }: VisibleBlock<'shortlink'>, writing: Writing): Html | undefined {
  const url = target ? writing.button(target) : safeUrl(content.url ?? '')
  if (url === undefined) return undefined
  const title = content.title?.trim() || (target ? hostOf(target.longUrl) : withoutScheme(url))
  const shown = target ? withoutScheme(writing.content.urlOf(target)) : withoutScheme(url)
  const { imageGuid: guid, crop } = content
  if (content.layout === 'card') {
    const picture = writing.picture(guid, { alt: '', crop }) ?? tile(writing)
    return html`<a class="c" href="${url}" data-url="${shown}">${picture}<span class="w">${titled(title, content)}</span></a>`
  }
  const picture = writing.picture(guid, { alt: '', crop, ratio: crop && '1:1' })
  const look = `${picture ? ' p' : ''}${content.layout === 'inline' ? ' il' : ''}`
  return html`<a class="b${look}" href="${url}" data-url="${shown}">${picture}<span>${titled(title, content)}</span></a>`
}

/** What a card shows without a picture. */
function tile(writing: Writing): Html {
  writing.uses('tile')
  return html`<span class="ph"></span>`
}

function titled(title: string, { description = '' }: Pick<LinkContent, 'description'>): Html {
  const about = description.trim() !== '' && html`<small dir="auto">${description.trim()}</small>`
  return html`<b dir="auto">${title}</b>${about}`
}

/** Nothing of YouTube's is loaded: a picture of the owner's, or one of ours. */
function videoBlock({ content, target }: VisibleBlock<'youtubeVideo'>, writing: Writing): Html | undefined {
  if (target === undefined) return undefined
  writing.uses('video')
  const picture = writing.picture(content.imageGuid, { alt: '', crop: content.crop, ratio: content.crop && '16:9' })
  const title = content.title?.trim() || 'Video'
  const shown = withoutScheme(writing.content.urlOf(target))
  return html`<a class="c" href="${writing.button(target)}" data-url="${shown}"><span class="vi">${picture}<svg class="i" viewBox="0 0 24 24" aria-hidden="true"><path d="M8 5v14l11-7z"/></svg></span><span class="w">${titled(title, { description: content.description || 'Watch on YouTube' })}</span></a>`
}

function imageBlock({ content, target }: VisibleBlock<'image'>, writing: Writing): Html | undefined {
  const { title = '', description = '', imageGuid, crop, aspectRatio: ratio } = content
  writing.uses('figure')
  // A link needs a name.
  const alt = title.trim() || description.trim() || (target ? hostOf(target.longUrl) : '')
  const caption = title.trim() || description.trim()
  const picture = writing.picture(imageGuid, { alt: caption === '' ? alt : '', crop, ratio })
  if (picture === undefined) return undefined
  const words =
    caption !== '' && html`<figcaption>${titled(caption, { description: title.trim() && description })}</figcaption>`
  if (target === undefined) return html`<figure>${picture}${words}</figure>`
  const shown = withoutScheme(writing.content.urlOf(target))
  return html`<figure><a href="${writing.button(target)}" data-url="${shown}">${picture}${words}</a></figure>`
}

const alignments = { left: 'tl', center: 'tc', right: 'tr', justified: 'tj' }
const sizes = { small: 's1', medium: 's2', large: 's3', extra_large: 's4' }

function textBlock({ content: { text }, appearance = {} }: VisibleBlock<'text_block'>, writing: Writing): Html {
  writing.uses('text', 'aligned')
  // By default as the texts above them.
  const usual = writing.content.document.appearance.header.titleAlignment === 'center' ? 'center' : 'left'
  const { alignment = usual, fontSize = 'medium', bold, italic, underline } = appearance
  const background = colorOr(appearance.backgroundColor, '')
  const color = colorOr(appearance.textColor, background && textOn(background, writing))
  const own = [background && `background:${background}`, color && `color:${color}`].filter((rule) => rule !== '')
  const names = [
    'te',
    alignments[alignment],
    sizes[fontSize],
    bold && 'sb',
    italic && 'si',
    underline && 'su',
    background && 'bg',
    own.length > 0 && writing.ownClass(own.join(';')),
  ]
  return html`<p class="${names.filter(Boolean).join(' ')}" dir="auto">${text.trim()}</p>`
}

/** The text colour of the page, which was checked with the background when it was saved. */
function textOn(background: string, { content }: Writing): string {
  const { text } = palettesOf(content.document.appearance).light
  return contrast(text, background) >= leastContrast ? text : readableOn(background)
}

function containerBlock(block: VisibleBlock<'grid'> | VisibleBlock<'carousel'>, writing: Writing): Html | undefined {
  const items = blocksOf(block.blocks, writing)
  if (items.length === 0) return undefined
  writing.uses(block.type, 'group')
  const { title = '', description = '' } = block.content
  const heading = title.trim() !== '' && html`<h2 class="h" dir="auto">${title.trim()}</h2>`
  const about = description.trim() !== '' && html`<p class="hp" dir="auto">${description.trim()}</p>`
  const [, across, down] = /^([1-9]\d?):([1-9]\d?)$/.exec(block.content.aspectRatio ?? '') ?? []
  const ratio = across === undefined ? '' : ` ${writing.ownClass(`--ar:${across}/${down}`)}`
  // What scrolls must be reachable by keyboard.
  const list =
    block.type === 'grid'
      ? html`<ul class="gr${ratio}" role="list">${items}</ul>`
      : html`<div class="ca${ratio}" role="region" tabindex="0" aria-label="${title.trim() || 'Carousel'}"><ul role="list">${items}</ul></div>`
  return html`${heading}${about}${list}`
}

function personBlock(block: VisibleBlock<'digital_business_card'>, writing: Writing): Html | undefined {
  const { content } = block
  writing.uses('person')
  const name = nameOf(content) || 'Contact'
  if (content.layout === 'button' && content.isDownloadable) {
    const picture = writing.picture(content.imageGuid, { alt: '', crop: content.crop, ratio: content.crop && '1:1' })
    return html`<a class="b p" href="${cardUrl(block.id, writing)}" download>${picture ?? iconOf('contact')}<span>${titled(name, { description: 'Save contact' })}</span></a>`
  }
  if (content.layout === 'inline') writing.uses('inlinePerson')
  const picture = writing.picture(content.imageGuid, { alt: '', crop: content.crop, ratio: content.crop && '1:1' })
  const work = [content.jobTitle, content.company].filter((text) => text?.trim()).join(' · ')
  const pronouns = content.pronouns?.trim()
  const who = html`<div class="who">${picture}<div><h2 dir="auto">${name}</h2>${pronouns && html`<p dir="auto">${pronouns}</p>`}${work !== '' && html`<p dir="auto">${work}</p>`}</div></div>`
  const contacts = block.contacts.map((contact) => contactItem(contact, writing))
  const about = content.description?.trim()
  const save =
    content.isDownloadable &&
    html`<a class="sv" href="${cardUrl(block.id, writing)}" download>${iconOf('save')}<span>Save contact</span></a>`
  return html`<section class="c pe${content.layout === 'inline' && ' in'}">${who}${about && html`<p dir="auto">${about}</p>`}${contacts.length > 0 && html`<ul role="list">${contacts}</ul>`}${save}</section>`
}

/** The download, which is counted. */
function cardUrl(blockId: string, { content }: Writing): string {
  return `${content.url}?card=${encodeURIComponent(blockId)}`
}

const contactIcons = { email: 'email', phone: 'phone', location: 'location', note: 'note', website: 'website' }

function contactItem(contact: VisibleContact, writing: Writing): Html {
  const { method, label, value } = contact
  const words = label === 'no_label' ? method : label
  const inside = html`${iconOf(contactIcons[method])}<span><small>${words.slice(0, 1).toUpperCase()}${words.slice(1)}</small><span dir="auto">${method === 'website' ? withoutScheme(value) : value}</span></span>`
  const url = contactUrl(contact, writing)
  return url === undefined ? html`<li><div>${inside}</div></li>` : html`<li><a href="${url}">${inside}</a></li>`
}

function contactUrl({ method, value, target }: VisibleContact, writing: Writing): string | undefined {
  if (target) return writing.button(target)
  const number = value.replaceAll(/[^\d+*#]/g, '')
  const urls: Readonly<Partial<Record<Contact['method'], string>>> = {
    email: /^[^\s@]+@[^\s@]+$/.test(value.trim()) ? `mailto:${value.trim()}` : '',
    phone: number === '' ? '' : `tel:${number}`,
    website: value,
  }
  return safeUrl(urls[method] ?? '')
}

function withoutScheme(url: string): string {
  return url.replace(/^(?:https?:\/\/|mailto:|tel:|sms:)/i, '').replace(/\/$/, '')
}
