/** What blocks contain: from what clients send to what documents keep (docs/api/sites.md#blocks). Texts are only text. */
import { isLonger } from '../../lib/is-longer.js'
import { parseUrl } from '../../lib/parse-url.js'
import type { Actor, WriterMembership } from '../accounts/actor.js'
import { requireAlso } from '../accounts/scopes.js'
import type { Domains } from '../domains/domains.js'
import type { ImageStore } from '../images/image-store.js'
import { type CreateDeps, createLink } from '../links/create.js'
import { type FindDeps, namedLink, parseShortlinkId } from '../links/read.js'
import { isGuid } from '../values/guid.js'
import { isPlain } from '../values/names.js'
import { invalid, quoted } from '../values/refusal.js'
import type { BlockContents, BlockType, CardLayout, Contact, Crop } from './site.js'
import { videoIdIn, watchUrl } from './youtube.js'

export interface ContentDeps extends FindDeps, CreateDeps {
  readonly links: FindDeps['links'] & CreateDeps['links']
  readonly domains: Domains
  readonly images: Pick<ImageStore, 'find'>
  /** Instead of making a link for a URL: an id that stands for it. For previews, which store nothing. */
  readonly standIn?: ((longUrl: string) => string) | undefined
  /** Links that the site has, which clients send back with the whole content, even when they were deleted. */
  readonly known?: ReadonlySet<string> | undefined
}

/** Everything that the content of any block may have. Empty texts remove a value. */
export interface ContentInput {
  readonly shortlinkId?: string | undefined
  readonly url?: string | undefined
  /** Of a link that is made for the URL; by default the preferred domain of the group. */
  readonly domain?: string | undefined
  readonly linkTitle?: string | undefined
  readonly description?: string | undefined
  readonly imageGuid?: string | undefined
  readonly imageUrl?: string | undefined
  readonly crop?: string | undefined
  readonly videoUrl?: string | undefined
  readonly channel?: string | undefined
  readonly aspectRatio?: string | undefined
  readonly layout?: CardLayout | undefined
  readonly firstName?: string | undefined
  readonly lastName?: string | undefined
  readonly pronouns?: string | undefined
  readonly company?: string | undefined
  readonly jobTitle?: string | undefined
  readonly contacts?: readonly ContactInput[] | undefined
  readonly downloadEnabled?: boolean | undefined
  readonly file?: { readonly fileName: string; readonly data: string } | undefined
  readonly text?: string | undefined
}

interface ContactInput extends Omit<Contact, 'linkId'> {
  readonly order: number
  readonly shortlinkId?: string | undefined
}

/** Fields of the content that were sent: undefined ones remove what there was. */
export type ContentChange = Readonly<Record<string, unknown>>

export const maxTitleLength = 255
export const maxDescriptionLength = 1000
export const maxTextLength = 5000
export const maxUrlLength = 2048
export const maxContacts = 30
const maxContactLength = 500
/** Of a vCard, in characters. */
const maxFileLength = 20_000

type Field =
  | 'link'
  | 'video'
  | 'title'
  | 'description'
  | 'image'
  | 'crop'
  | 'aspectRatio'
  | 'layout'
  | 'names'
  | 'contacts'
  | 'social'
  | 'text'

/** What each type has; other fields of a request are ignored, as clients send them together. */
const fieldsOf: Readonly<Record<BlockType, readonly Field[]>> = {
  shortlink: ['link', 'title', 'description', 'image', 'crop', 'layout'],
  social: ['social'],
  youtubeVideo: ['video', 'title', 'description', 'image', 'crop'],
  image: ['link', 'title', 'description', 'image', 'crop', 'aspectRatio'],
  digital_business_card: ['names', 'contacts', 'title', 'description', 'image', 'crop', 'layout'],
  text_block: ['text'],
  grid: ['title', 'description', 'aspectRatio'],
  carousel: ['title', 'description', 'aspectRatio'],
}

/** Makes links for URLs, and checks all references; the document is changed afterwards. */
export async function readContent(
  deps: ContentDeps,
  actor: Actor,
  group: WriterMembership,
  type: BlockType,
  input: ContentInput,
): Promise<ContentChange> {
  const change: Record<string, unknown> = {}
  for (const field of fieldsOf[type]) Object.assign(change, await readers[field](deps, actor, group, input, type))
  return change
}

type Reader = (
  deps: ContentDeps,
  actor: Actor,
  group: WriterMembership,
  input: ContentInput,
  type: BlockType,
) => object | Promise<object>

const readers: Readonly<Record<Field, Reader>> = {
  link: readLinkOf,
  async video(deps, actor, group, { videoUrl, domain }) {
    if (videoUrl === undefined) return {}
    const videoId = requireVideo(videoUrl, 'content.videoUrl')
    return { videoId, linkId: await linkTo(deps, actor, group, watchUrl(videoId), domain) }
  },
  title: (_deps, _actor, _group, input) => lineOf(input, 'linkTitle', 'title'),
  description: (_deps, _actor, _group, { description }) =>
    description === undefined ? {} : { description: readText(description, 'content.description') || undefined },
  async image(deps, _actor, { organizationGuid }, { imageGuid, imageUrl }) {
    const guid = imageGuid ?? (imageUrl && imageGuidIn(imageUrl)) ?? imageUrl
    if (guid === undefined) return {}
    return {
      imageGuid: guid === '' ? undefined : await requireImage(deps, organizationGuid, guid, 'content.imageGuid'),
    }
  },
  crop: (_deps, _actor, _group, { crop }) => (crop === undefined ? {} : { crop: readCrop(crop, 'content.crop') }),
  aspectRatio(_deps, _actor, _group, { aspectRatio }) {
    if (aspectRatio === undefined) return {}
    if (aspectRatio !== '' && !/^[1-9]\d?:[1-9]\d?$/.test(aspectRatio)) {
      throw invalid('content.aspectRatio', 'Send the aspect ratio as <width>:<height>, such as 16:9.', 'sites')
    }
    return { aspectRatio: aspectRatio || undefined }
  },
  layout: (_deps, _actor, _group, { layout }) => (layout === undefined ? {} : { layout }),
  names: (_deps, _actor, _group, input) => ({
    ...lineOf(input, 'firstName'),
    ...lineOf(input, 'lastName'),
    ...lineOf(input, 'pronouns'),
    ...lineOf(input, 'company'),
    ...lineOf(input, 'jobTitle'),
    ...(input.downloadEnabled !== undefined && { isDownloadable: input.downloadEnabled }),
    ...(input.file && { file: readFile(input.file) }),
  }),
  async contacts(deps, actor, group, { contacts, domain }) {
    if (contacts === undefined) return {}
    if (contacts.length > maxContacts) {
      throw invalid('content.contacts', `A business card has at most ${maxContacts} contacts.`, 'sites')
    }
    const sorted = contacts.toSorted((one, other) => one.order - other.order)
    const read: Contact[] = []
    for (const contact of sorted) read.push(await readContact(deps, actor, group, contact, domain))
    return { contacts: read }
  },
  social(_deps, _actor, _group, { channel, url }) {
    if (channel !== undefined && !/^[\w .+-]{1,50}$/.test(channel)) {
      throw invalid('content.channel', 'Send the name of a network, such as facebook.', 'sites')
    }
    return {
      ...(channel !== undefined && { channel: channel.toLowerCase() }),
      ...(url !== undefined && { url: readUrl(url, 'content.url') }),
    }
  },
  text: (_deps, _actor, _group, { text }) =>
    text === undefined ? {} : { text: readText(text, 'content.text', maxTextLength) },
}

async function readLinkOf(
  deps: ContentDeps,
  actor: Actor,
  group: WriterMembership,
  { shortlinkId, url, domain }: ContentInput,
  type: BlockType,
): Promise<object> {
  if (shortlinkId !== undefined && shortlinkId !== '') {
    return { linkId: await requireLink(deps, actor, group, shortlinkId, 'content.shortlinkId'), url: undefined }
  }
  // The link of a picture may be taken away.
  if (type === 'image' && (shortlinkId === '' || url === '')) return { linkId: undefined }
  if (url === undefined || url === '') return {}
  const written = readUrl(url, 'content.url')
  if (isWeb(written)) return { linkId: await linkTo(deps, actor, group, written, domain), url: undefined }
  if (type === 'image') throw invalid('content.url', 'Send an http or https URL.', 'sites')
  return { url: written, linkId: undefined }
}

async function readContact(
  deps: ContentDeps,
  actor: Actor,
  group: WriterMembership,
  { method, label, value, shortlinkId }: ContactInput,
  domain: string | undefined,
): Promise<Contact> {
  const field = 'content.contacts'
  const isLong = isLonger(value, maxContactLength) || value.trim() === ''
  if (isLong || !isPlain(value.replace(/[\r\n\t]/g, ' '), maxContactLength)) {
    throw invalid(field, `Send 1 to ${maxContactLength} characters as the value of a contact.`, 'sites')
  }
  if (method === 'email' && !/^[^\s@<>(),;:\\"[\]]+@[^\s@<>(),;:\\"[\]]+$/.test(value)) {
    throw invalid(field, `${quoted(value)} is not an email address.`, 'sites')
  }
  if (method === 'phone' && !/^\+?[\d\s().#*/-]{2,40}$/.test(value)) {
    throw invalid(field, `${quoted(value)} is not a phone number.`, 'sites')
  }
  if (method !== 'website') return { method, label, value }
  const url = readUrl(value, field)
  if (!isWeb(url)) throw invalid(field, 'A website begins with http:// or https://.', 'sites')
  const linkId =
    shortlinkId === undefined
      ? await linkTo(deps, actor, group, url, domain)
      : await requireLink(deps, actor, group, shortlinkId, field)
  return { method, label, value: url, linkId }
}

async function requireLink(
  deps: ContentDeps,
  actor: Actor,
  { groupGuid }: WriterMembership,
  shortlinkId: string,
  field: string,
): Promise<string> {
  const { domain, backHalf } = parseShortlinkId(shortlinkId)
  const address = deps.domains.addressOf(domain, backHalf)
  if (address !== undefined && deps.known?.has(address)) return address
  const link = await namedLink(deps, actor, shortlinkId)
  if (link.groupGuid === groupGuid) return link.id
  throw invalid(field, 'The short link belongs to another of your groups.', 'sites')
}

async function linkTo(
  deps: ContentDeps,
  actor: Actor,
  group: WriterMembership,
  longUrl: string,
  domain: string | undefined,
): Promise<string> {
  if (deps.standIn) return deps.standIn(longUrl)
  requireAlso(actor, 'links:create')
  const created = await createLink(deps, actor, group, { longUrl, domain: domain || undefined })
  return created.link.id
}

/** An image of the organization. */
export async function requireImage(
  { images }: Pick<ContentDeps, 'images'>,
  organizationGuid: string,
  guid: string,
  field: string,
): Promise<string> {
  const image = isGuid(guid) ? await images.find(guid) : undefined
  if (image?.organizationGuid === organizationGuid) return guid
  const message = 'There is no such image. Upload it with POST /v4/images, and send its guid.'
  throw invalid(field, message, 'sites')
}

/** The guid in a URL that the service answered for an image; pages load pictures of nobody else. */
export function imageGuidIn(url: string): string | undefined {
  return /\/v4\/images\/([0-9A-Za-z]{1,64})\/file$/.exec(url)?.[1]
}

export function requireVideo(url: string, field: string): string {
  const id = videoIdIn(url)
  if (id !== undefined) return id
  throw invalid(field, 'Send the URL of a video on YouTube, such as https://www.youtube.com/watch?v=<id>.', 'sites')
}

function lineOf(input: ContentInput, field: keyof ContentInput & string, name: string = field): object {
  const text = input[field]
  if (typeof text !== 'string') return {}
  return { [name]: readLine(text, `content.${field}`) || undefined }
}

export function readLine(text: string, field: string, longest = maxTitleLength): string {
  if (isPlain(text, longest)) return text.trim()
  throw invalid(field, `Send at most ${longest} characters, without line breaks and control characters.`, 'sites')
}

/** With line breaks. */
export function readText(text: string, field: string, longest = maxDescriptionLength): string {
  const lines = text.replace(/\r\n?/g, '\n')
  if (isPlain(lines.replace(/[\n\t]/g, ' '), longest)) return lines
  throw invalid(field, `Send at most ${longest} characters, without control characters but line breaks.`, 'sites')
}

const schemes: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:', 'tel:', 'sms:'])

/** A host name with a dot, as people write URLs: `facebook.com/profile`. */
const bareHost = /^[^\s/:?#@\\]+\.[^\s/:?#@\\]+(?::\d{1,5})?(?:[/?#]|$)/

/** A URL that a page may lead to. Others could run a script, or open any file. */
function readUrl(text: string, field: string): string {
  const url = parseUrl(bareHost.test(text) ? `https://${text}` : text)
  // `mailto:` alone leads nowhere; a subject may come without a receiver.
  const leads = url !== undefined && (url.pathname !== '' || url.search !== '')
  const isClean = text.length <= maxUrlLength && !/[\p{Cc}\p{Cs}\p{White_Space}\\]/u.test(text)
  const hasPassword = url !== undefined && (url.username !== '' || url.password !== '')
  if (leads && isClean && schemes.has(url.protocol) && !hasPassword && url.href.length <= maxUrlLength) return url.href
  const message = `${quoted(text)} is not a URL that begins with http:, https:, mailto:, tel: or sms:, and leads somewhere.`
  throw invalid(field, message, 'sites')
}

function isWeb(url: string): boolean {
  return /^https?:/.test(url)
}

/** Of the width and of the height: pages enlarge it until it fills its place. */
const leastCrop = 0.01

/** `{"Min":{"X":0,"Y":0},"Max":{"X":1,"Y":1}}`; an empty text removes it. */
export function readCrop(text: string, field: string): Crop | undefined {
  if (text === '') return undefined
  const { Min, Max } = Object(parseJson(text))
  const crop = { left: Min?.X, top: Min?.Y, right: Max?.X, bottom: Max?.Y }
  const isInside = Object.values(crop).every((value) => typeof value === 'number' && value >= 0 && value <= 1)
  if (isInside && isEnough(crop.left, crop.right) && isEnough(crop.top, crop.bottom)) return crop
  const message = `Send crop as {"Min":{"X":0,"Y":0},"Max":{"X":1,"Y":1}}, in fractions of the image: at least ${leastCrop} of its width and height.`
  throw invalid(field, message, 'sites')
}

/** 0.06 - 0.05 is a little less than 0.01. */
function isEnough(from: number, to: number): boolean {
  return to - from >= leastCrop - Number.EPSILON
}

export function cropText({ left, top, right, bottom }: Crop): string {
  return JSON.stringify({ Min: { X: left, Y: top }, Max: { X: right, Y: bottom } })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A vCard that visitors get instead of the one that is made of the fields. */
function readFile({ fileName, data }: { readonly fileName: string; readonly data: string }) {
  const name = readLine(fileName, 'content.file', 100).replace(/[^\p{L}\p{N}._ -]/gu, '_')
  if (data.length > maxFileLength) {
    throw invalid('content.file', `The file has at most ${maxFileLength} characters.`, 'sites')
  }
  const text = data.startsWith('BEGIN:VCARD') ? data : Buffer.from(data, 'base64').toString('utf8')
  const isCard = /^BEGIN:VCARD\r?\n.*\r?\nEND:VCARD\s*$/s.test(text)
  if (isCard && isPlain(text.replace(/[\r\n\t]/g, ' '), maxFileLength)) return { name, text }
  throw invalid('content.file', 'Send a vCard as data, as text or in base64.', 'sites')
}

/** Throws unless the content has what its type needs. */
export function requireComplete<Type extends BlockType>(type: Type, content: ContentChange): BlockContents[Type] {
  const missing = needs[type].find((names) =>
    names.every((name) => content[name] === undefined || content[name] === ''),
  )
  if (missing === undefined) return content as unknown as BlockContents[Type]
  throw invalid(
    `content.${sentNames[missing[0] ?? ''] ?? missing[0]}`,
    `A block of the type ${type} needs ${wanted[type]}.`,
    'sites',
  )
}

/** One of each list. */
const needs: Readonly<Record<BlockType, readonly (readonly string[])[]>> = {
  shortlink: [['linkId', 'url']],
  social: [['channel'], ['url']],
  youtubeVideo: [['videoId']],
  image: [['imageGuid']],
  digital_business_card: [['firstName', 'lastName', 'company', 'title']],
  text_block: [['text']],
  grid: [],
  carousel: [],
}

const sentNames: Readonly<Record<string, string>> = { linkId: 'shortlinkId', videoId: 'videoUrl' }

const wanted: Readonly<Record<BlockType, string>> = {
  shortlink: 'a shortlink_id, or a url',
  social: 'a channel and a url',
  youtubeVideo: 'a video_url',
  image: 'an image_guid',
  digital_business_card: 'a first_name, a last_name or a company',
  text_block: 'a text',
  grid: 'nothing',
  carousel: 'nothing',
}

/** What a new block has where nothing was sent. */
export const initialContent: Readonly<Partial<Record<BlockType, ContentChange>>> = {
  digital_business_card: { layout: 'card', contacts: [], isDownloadable: true },
}
