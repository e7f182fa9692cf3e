/** A site as the API tells it. */
import type { components, operations } from '../../api/schema.js'
import { siteTexts as words } from '../../texts/sites.js'
import { channelName } from './channels.js'

type Schemas = components['schemas']

export type Site = Schemas['Site']
export type Block = NonNullable<Site['blocks']>[number]
export type Appearance = Site['appearance']
export type Template = Schemas['SiteTemplate']
export type BlockType = Block['type']

type Sent = NonNullable<operations['createSiteBlock']['requestBody']>['content']['application/json']
/** A form can send a text instead; we do not. */
type Fields<Value> = Exclude<Value, string | undefined>

/** What is sent for a block. */
export interface BlockBody extends Partial<Omit<Sent, 'type' | 'content' | 'appearance'>> {
  readonly content?: BlockContent
  readonly appearance?: TextLook
}
export type TextLook = Omit<NonNullable<Block['appearance']>, 'shape' | 'shadow'>
export type BlockContent = Omit<Fields<Sent['content']>, 'contacts'> & { readonly contacts?: Contact[] }
export type Contact = Fields<NonNullable<Fields<Fields<Sent['content']>['contacts']>>[number]>

export const blockTypes = [
  'shortlink',
  'social',
  'image',
  'text_block',
  'youtubeVideo',
  'digital_business_card',
  'grid',
  'carousel',
] as const satisfies readonly BlockType[]

/** What people know the page by, without the scheme. */
export function shownUrl(url: string): string {
  return url.replace(/^https?:\/\//, '').replace(/\/$/, '')
}

/** What the row of a block says first; empty where nothing was given yet. */
export function titleOf({ type, content }: Pick<Block, 'type' | 'content'>): string {
  if (type === 'social' && content.channel) return words.channels[content.channel] ?? channelName(content.channel)
  const name = [content.first_name, content.last_name].filter(Boolean).join(' ')
  if (type === 'text_block') return (content.text ?? '').split('\n', 1)[0]?.slice(0, 80) ?? ''
  return content.link_title || name || content.company || ''
}

/** Where it leads, in short. */
export function leadsTo({ content }: Pick<Block, 'content'>): string {
  const url = content.link_info?.long_url ?? content.channel_url ?? content.url ?? content.video_url ?? ''
  return url.replace(/^(https?:\/\/(www\.)?|mailto:|tel:|sms:)/, '').replace(/\/$/, '')
}

/** Its link was deleted: visitors do not see it. */
export function isBroken({ content }: Pick<Block, 'content'>): boolean {
  return content.link_info?.is_deleted === true
}

export function withAvatar(
  { avatar_image_guid: _, avatar_image_url: __, ...others }: Appearance,
  avatar: string,
): Appearance {
  return { ...others, ...(avatar && { avatar_image_guid: avatar }) }
}
