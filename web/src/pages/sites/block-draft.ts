/** A block as its form holds it: every field by itself, so that two people may change two of them. */
import { asDate } from '../../parts/format.js'
import { withScheme } from '../../parts/with-scheme.js'
import { asLocalTime } from '../create/draft.js'
import { isColor } from './contrast.js'
import type { Block, BlockBody, BlockContent, BlockType, Contact, TextLook } from './model.js'

export interface BlockDraft {
  /** One of both: a short link of the group, or what leads elsewhere. */
  readonly shortlink_id: string
  readonly url: string
  readonly link_title: string
  readonly description: string
  readonly image_guid: string
  readonly channel: string
  readonly video_url: string
  readonly aspect_ratio: string
  readonly layout: 'button' | 'card' | 'inline'
  readonly first_name: string
  readonly last_name: string
  readonly pronouns: string
  readonly company: string
  readonly job_title: string
  readonly contacts: readonly Contact[]
  readonly download_enabled: boolean
  readonly text: string
  readonly look: TextLook
  /** As date fields have them, in the person's zone; empty for none. */
  readonly schedule_start: string
  readonly schedule_end: string
  readonly is_active: boolean
  readonly is_pinned: boolean
}

export const emptyBlock: BlockDraft = {
  shortlink_id: '',
  url: '',
  link_title: '',
  description: '',
  image_guid: '',
  channel: 'instagram',
  video_url: '',
  aspect_ratio: '',
  layout: 'button',
  first_name: '',
  last_name: '',
  pronouns: '',
  company: '',
  job_title: '',
  contacts: [],
  download_enabled: true,
  text: '',
  look: {},
  schedule_start: '',
  schedule_end: '',
  is_active: true,
  is_pinned: false,
}

export function newBlock(type: BlockType): BlockDraft {
  return type === 'digital_business_card' ? { ...emptyBlock, layout: 'card' } : emptyBlock
}

export function draftOf({
  content,
  appearance,
  schedule_start,
  schedule_end,
  is_active,
  is_pinned,
  type,
}: Block): BlockDraft {
  const { shape: _, shadow: __, ...look } = appearance ?? {}
  const given = Object.fromEntries(
    Object.entries(content).filter(([name, value]) => name in emptyBlock && value !== undefined),
  )
  return {
    ...newBlock(type),
    ...given,
    url: content.url ?? '',
    look,
    schedule_start: schedule_start ? asLocalTime(asDate(schedule_start)) : '',
    schedule_end: schedule_end ? asLocalTime(asDate(schedule_end)) : '',
    is_active,
    is_pinned,
  }
}

/** What each type has of its own. */
const fieldsOfType: Readonly<Record<BlockType, readonly (keyof BlockDraft)[]>> = {
  shortlink: ['shortlink_id', 'url', 'link_title', 'description', 'image_guid', 'layout'],
  social: ['channel', 'url'],
  youtubeVideo: ['video_url', 'link_title', 'description', 'image_guid'],
  image: ['image_guid', 'link_title', 'description', 'aspect_ratio', 'shortlink_id', 'url'],
  digital_business_card: [
    'first_name',
    'last_name',
    'pronouns',
    'job_title',
    'company',
    'description',
    'image_guid',
    'contacts',
    'layout',
    'download_enabled',
  ],
  text_block: ['text', 'look'],
  grid: ['link_title', 'description'],
  carousel: ['link_title', 'description'],
}

/** What is sent of these fields. Of links, only the one of both that is meant; an empty text removes what was there. */
export function bodyOfDraft(type: BlockType, draft: Partial<BlockDraft>): BlockBody {
  const content: Record<string, unknown> = {}
  for (const name of fieldsOfType[type]) {
    if (name === 'look' || draft[name] === undefined) continue
    const value = draft[name]
    content[name] = typeof value === 'string' && name !== 'text' ? value.trim() : value
  }
  if (content.shortlink_id) delete content.url
  else if (content.url) delete content.shortlink_id
  for (const name of ['url', 'video_url']) if (content[name]) content[name] = withScheme(String(content[name]))
  if (content.contacts !== undefined) content.contacts = draft.contacts?.map(wireContact)
  const { look, schedule_start, schedule_end, is_active, is_pinned } = draft
  return {
    ...(Object.keys(content).length > 0 && { content: content as BlockContent }),
    ...(type === 'text_block' && look && { appearance: look }),
    ...(schedule_start !== undefined && { schedule_start: schedule_start && new Date(schedule_start).toISOString() }),
    ...(schedule_end !== undefined && { schedule_end: schedule_end && new Date(schedule_end).toISOString() }),
    ...(is_active !== undefined && { is_active }),
    ...(is_pinned !== undefined && { is_pinned }),
  }
}

/** Of a new block: only what was given. */
export function newBodyOf(type: BlockType, draft: BlockDraft): BlockBody {
  const given = Object.fromEntries(
    Object.entries(draft).filter(([name, value]) => value !== '' && (name !== 'look' || Object.keys(value).length > 0)),
  )
  const { is_active, is_pinned, ...body } = bodyOfDraft(type, given)
  return {
    ...body,
    ...(is_active === false && { is_active }),
    ...(is_pinned === true && { is_pinned }),
  }
}

const contactPatterns = {
  email: /^[^\s@]+@[^\s@]+$/,
  phone: /^\+?[\d\s().#*/-]{2,40}$/,
  website: /^(https?:\/\/)?[^\s/@:]+\.[^\s/.]{2,}/i,
  location: /./,
  note: /./,
}

/** Whether the service would take it, as far as one can tell while it is typed: only then the preview shows it. */
export function isComplete(
  type: BlockType,
  { shortlink_id, url, video_url, image_guid, look, ...draft }: BlockDraft,
): boolean {
  const isUrl = (text: string) =>
    /^((https?:\/\/)?[^\s/@:]+\.[^\s/.]{2,}|(mailto|tel|sms):\S{3,})/i.test(text.trim()) &&
    URL.canParse(withScheme(text))
  const { first_name, last_name, company, contacts } = draft
  const isReachable = ({ contact_method, value }: Contact) => contactPatterns[contact_method].test(value.trim())
  switch (type) {
    case 'shortlink':
      return shortlink_id !== '' || isUrl(url)
    case 'social':
      return isUrl(url)
    case 'image':
      return image_guid !== '' && (url === '' || isUrl(url))
    case 'youtubeVideo':
      return /^(https?:\/\/)?(www\.|m\.)?(youtube(-nocookie)?\.com|youtu\.be)\/.*[\w-]{11}/.test(video_url.trim())
    case 'digital_business_card':
      return Boolean(first_name.trim() || last_name.trim() || company.trim()) && contacts.every(isReachable)
    case 'text_block':
      return (
        draft.text.trim() !== '' && [look.text_color, look.background_color].every((each) => !each || isColor(each))
      )
    default:
      return true
  }
}

function wireContact(contact: Contact, sort_order: number): Contact {
  const value = contact.contact_method === 'website' ? withScheme(contact.value) : contact.value.trim()
  // Another website has another link.
  return { ...contact, value, sort_order }
}
