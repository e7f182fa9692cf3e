/** Sites on the wire (docs/api/sites.md): what requests send, and what is answered. */
import { type Static, type TSchema, Type } from 'typebox'
import {
  maxContacts,
  maxDescriptionLength,
  maxTextLength,
  maxTitleLength,
  maxUrlLength,
} from '../../../core/sites/content.js'
import { imageUses } from '../../../core/sites/pictures.js'
import {
  alignments,
  blockTypes,
  cardLayouts,
  contactLabels,
  contactMethods,
  containerTypes,
  contentTypes,
  fontSizes,
} from '../../../core/sites/site.js'
import { templateCategories } from '../../../core/sites/templates.js'
import { bounds, emptyRemoves, mayBeMissing } from '../../http/validation.js'
import { addressBounds, descriptionBounds, guidBounds, lines, noControls, timestampOrNoneBounds } from './bounds.js'
import { choice, moment, named, optionalChoice, optionalFlag, optionalText, shownAddress } from './fields.js'
import { listAnswer, Pagination } from './lists.js'
import { RoutingRule } from './short-link.js'
import { SiteAppearance } from './site-appearance.js'

const removable = (description: string, more: object = {}) =>
  optionalText(`${description}; an empty text removes it`, { ...emptyRemoves, ...more })
const line = bounds({ maxLength: maxTitleLength, pattern: noControls })
const text = (description: string, example?: string) =>
  Type.String({ description, ...(example !== undefined && { examples: [example] }) })
const cardExample = 'BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Anna\r\nEND:VCARD\r\n'
const colorOrNone = bounds({ pattern: '^$|^#[0-9A-Fa-f]{6}$' })

// Blocks.

const style = {
  bold: optionalFlag(''),
  italic: optionalFlag(''),
  underline: optionalFlag(''),
}
const textFields = {
  background_color: removable('Behind the text, `#rrggbb`', colorOrNone),
  text_color: removable('Of the text, `#rrggbb`', colorOrNone),
  alignment: optionalChoice(alignments, 'Of the lines'),
  font_size: optionalChoice(fontSizes, 'Of the text'),
  text_block_style: Type.Optional(Type.Object(style, { title: 'TextBlockStyle' })),
}
const TextAppearance = Type.Object(textFields, { title: 'TextAppearance' })

const contactFields = {
  contact_method: choice(contactMethods, 'What it is'),
  method_type: optionalChoice(contactLabels, 'Its label; `no_label` by default'),
  value: text('The address, number, text or URL'),
  sort_order: Type.Integer({ description: 'Its place among the contacts' }),
  shortlink_id: optionalText('Of a website: the short link that leads there; made when it is not sent', addressBounds),
}
const Contact = Type.Object(contactFields, { title: 'Contact' })

/** One union of what all types have. */
const BlockContentIn = Type.Object(
  {
    shortlink_id: removable('A short link of the group'),
    link_title: removable(`At most ${maxTitleLength} characters`, line),
    description: removable(
      `At most ${maxDescriptionLength} characters`,
      bounds({ maxLength: maxDescriptionLength, pattern: lines }),
    ),
    is_pinned: optionalFlag('The same as that of the block'),
    image_url: removable('URL of an uploaded image'),
    image_guid: removable('An uploaded image; wins over the URL'),
    crop: removable(
      'The shown part of the image: `{"Min":{"X":0,"Y":0},"Max":{"X":1,"Y":1}}`, in fractions of its size',
    ),
    video_url: optionalText('URL of a video on YouTube, in any of its forms'),
    thumbnail_url: optionalText('Not kept: pages show `image_guid`, and load nothing from elsewhere'),
    domain: optionalText('Of the short link that is made for a URL; by default the preferred domain of the group'),
    url: removable(
      'Where the block leads: http, https, mailto, tel or sms. A short link is made for http and https',
      bounds({ maxLength: maxUrlLength }),
    ),
    channel: optionalText('A network, such as `facebook`'),
    aspect_ratio: removable('`<width>:<height>`, such as `1:1`'),
    digital_business_card_id: optionalText('As answered; the id of the block'),
    layout: optionalChoice(cardLayouts, 'How the block looks'),
    first_name: removable('Of the person', line),
    last_name: removable('Of the person', line),
    pronouns: removable('Of the person', line),
    company: removable('Where they work', line),
    job_title: removable('As what', line),
    contacts: Type.Optional(
      Type.Array(Contact, {
        ...bounds({ maxItems: maxContacts }),
        description: `At most ${maxContacts}; they replace the former ones`,
      }),
    ),
    download_enabled: optionalFlag('Whether visitors may download the card as a vCard'),
    file: Type.Optional(
      Type.Object(
        { file_name: text('Its name', 'anna.vcf'), data: text('A vCard, as text or in base64', cardExample) },
        { title: 'CardFile', description: 'The vCard that they get instead of the one that is made of the fields' },
      ),
    ),
    text: optionalText(`At most ${maxTextLength} characters`, bounds({ maxLength: maxTextLength, pattern: lines })),
  },
  { title: 'BlockContentIn', description: 'Fields that the type of the block does not have are ignored' },
)

const changeFields = {
  appearance: Type.Optional(TextAppearance),
  schedule_start: optionalText('Shown from then on', { ...emptyRemoves, ...timestampOrNoneBounds }),
  schedule_end: optionalText('Shown until then', { ...emptyRemoves, ...timestampOrNoneBounds }),
  is_active: optionalFlag('Whether it is shown at all; by default it is'),
  is_pinned: optionalFlag('Shown before those that are not'),
  parent: removable('The `block_id` of a grid or carousel that contains it'),
}

export const BlockCreate = Type.Object(
  { type: choice(contentTypes, 'What it is; stays'), content: BlockContentIn, ...changeFields },
  { examples: [{ type: 'shortlink', content: { shortlink_id: 'go.example.com/3xYz12A', link_title: 'Our shop' } }] },
)
export const BlockUpdate = Type.Object(
  { content: Type.Optional(BlockContentIn), ...changeFields },
  { examples: [{ content: { link_title: 'Our new shop' }, is_pinned: true }] },
)
export const Container = Type.Object(
  { type: choice(containerTypes, 'Side by side, or one after the other'), content: Type.Optional(BlockContentIn) },
  { examples: [{ type: 'grid', content: {} }] },
)
export const BlockOrder = Type.Object(
  {
    block_order: Type.Array(
      Type.Object({
        block_id: text('A block of the site'),
        sort_order: Type.Integer({ description: 'Its place in its container' }),
      }),
      { description: 'Blocks that are not named follow those that are' },
    ),
  },
  { examples: [{ block_order: [{ block_id: 'Lq7Wd2Jh5Ng', sort_order: 0 }] }] },
)

const LinkInfo = Type.Object(
  {
    link: text('Its short URL'),
    long_url: optionalText('Where it leads; absent for a deleted link'),
    expiration_at: Type.Optional(Type.Integer({ description: 'When it expires, in epoch seconds' })),
    has_override: optionalFlag('Whether it has a custom back-half'),
    is_override: optionalFlag('Whether `link` is one'),
    is_deleted: Type.Boolean({ description: 'Then the page does not show the block' }),
    dynamic_routing: Type.Optional(Type.Array(named(RoutingRule, 'A rule'))),
  },
  { title: 'LinkInfo', description: 'The link behind the block' },
)

const optionalString = Type.Optional(Type.String())

export const BlockContent = Type.Object(
  {
    thumbnail_url: optionalText('Of a video, at YouTube; pages do not load it'),
    video_url: optionalText('The player of a video'),
    domain: optionalText('Of the short link'),
    url: optionalText('Where a block without a short link leads'),
    channel: optionalString,
    channel_url: optionalString,
    digital_business_card_id: optionalString,
    layout: optionalChoice(cardLayouts, ''),
    first_name: optionalString,
    last_name: optionalString,
    job_title: optionalString,
    company: optionalString,
    pronouns: optionalString,
    contacts: Type.Optional(
      Type.Array(
        Type.Object({
          contact_method: choice(contactMethods, ''),
          method_type: choice(contactLabels, ''),
          value: Type.String(),
          sort_order: Type.Integer(),
          shortlink_id: Type.Optional(shownAddress({})),
        }),
      ),
    ),
    download_enabled: Type.Optional(Type.Boolean()),
    file: Type.Optional(Type.Object({ file_name: text('', 'anna.vcf'), data: text('', cardExample) })),
    link_title: optionalString,
    description: optionalString,
    shortlink_id: Type.Optional(shownAddress({ description: '`<domain>/<hash>`' })),
    image_guid: optionalString,
    image_url: optionalString,
    crop: optionalString,
    aspect_ratio: optionalString,
    link_info: Type.Optional(LinkInfo),
    text: optionalString,
  },
  { title: 'BlockContent' },
)

export const SiteBlock = Type.Object(
  {
    site_id: text('The site', 'Mq7Wd2Jh5Ng'),
    block_id: text('Its id', 'Lq7Wd2Jh5Ng'),
    sort_order: Type.Integer({ description: 'Its place in its container, from 0' }),
    schedule_start: Type.Optional(moment()),
    schedule_end: Type.Optional(moment()),
    is_active: Type.Boolean({ description: 'Whether it is shown at all' }),
    is_pinned: Type.Boolean({ description: 'Shown before those that are not' }),
    is_sample: Type.Boolean({ description: 'Came with a template; until it is changed' }),
    type: choice(blockTypes, 'What it is'),
    container_id: optionalText('The `block_id` of the grid or carousel that contains it'),
    scheme: optionalText('Of its URL, such as `https`'),
    content: BlockContent,
    appearance: Type.Optional(
      Type.Object(
        {
          ...textFields,
          shape: Type.Optional(Type.Integer({ description: '0' })),
          shadow: Type.Optional(Type.Integer({ description: '0' })),
        },
        { title: 'BlockAppearance' },
      ),
    ),
  },
  { $id: 'SiteBlock' },
)

// Sites.

const SiteRedirect = Type.Object(
  {
    redirect_guid: text('Its guid', 'rq7Wd2Jh5Ng'),
    microsite_guid: text('The site', 'Mq7Wd2Jh5Ng'),
    uri: text('The former address', 'go.example.com/m/anna'),
    domain: text('Of that'),
    keyword: text('Of that: what follows the domain', 'm/anna'),
    redirect_uri: text('The present address', 'go.example.com/m/pottery'),
    redirect_domain: text('Of that', 'go.example.com'),
    redirect_keyword: text('Of that: what follows the domain', 'm/pottery'),
    status: choice(['active'], 'Removed ones are not listed'),
    created: moment(),
    modified: moment(),
  },
  { title: 'SiteRedirect' },
)

export const SiteRecord = Type.Object(
  {
    site_guid: text('Its guid', 'Mq7Wd2Jh5Ng'),
    group_guid: Type.String(),
    status: choice(['active', 'inactive'], '`inactive` once it was deleted'),
    is_edited: Type.Boolean({ description: 'Whether the draft differs from what visitors see' }),
    url: text('Where visitors see it', 'https://go.example.com/m/anna'),
    content: Type.Object({
      display_name: text('The name at the top of the page', 'Anna'),
      description: text('The text below it', 'Pottery, and courses on Saturdays'),
    }),
    appearance: named(SiteAppearance, 'How it looks'),
    button_count: Type.Integer({ description: 'Blocks that lead somewhere' }),
    last_published: Type.Optional(moment()),
    created: moment(),
    modified: moment(),
    qr_code_id: optionalText('The QR code that leads to it'),
    redirects: Type.Array(SiteRedirect, { description: 'Former addresses that lead to it, newest first' }),
    blocks: Type.Optional(
      Type.Array(named(SiteBlock, 'A block'), {
        description: 'With `include_blocks`: of the draft, those of the page first, then those of each container',
      }),
    ),
  },
  { $id: 'Site' },
)

export const CreateSite = Type.Object(
  {
    group_guid: text('The group that owns the site'),
    domain: text('A short domain'),
    keyword: text('The site is at `<domain>/m/<keyword>`. Empty: at the root of a branded domain'),
    uri: optionalText('Another path of a branded domain: `<domain>/<path>`; wins over the keyword'),
  },
  { examples: [{ group_guid: 'Bd3Kx8Qm2Lp', domain: 'go.example.com', keyword: 'anna' }] },
)
export const UpdateSite = Type.Object(
  {
    uri: optionalText('A new address, at once; the former one redirects to it'),
    display_name: optionalText(`At most ${maxTitleLength} characters`, { ...emptyRemoves, ...line }),
    description: optionalText('At most 2000 characters', { ...emptyRemoves, ...descriptionBounds }),
    qr_code_id: removable('A QR code that leads to the site'),
  },
  { examples: [{ display_name: 'Anna', description: 'Pottery, and courses on Saturdays' }] },
)

export const SiteClone = Type.Object(
  { uri: optionalText('Where the copy is; by default beside the site') },
  { ...mayBeMissing, examples: [{ uri: 'go.example.com/m/anna-2' }] },
)
export const ApplyTemplate = Type.Object(
  { template_guid: optionalText('A template of `GET /v4/site_templates`; without it 422') },
  { ...mayBeMissing, examples: [{ template_guid: 'Tpaper' }] },
)
export const SiteImage = Type.Object(
  {
    image_guid: optionalText('An uploaded image', guidBounds),
    url: optionalText('Its URL, instead of the guid'),
    image_use: Type.Optional(
      choice(
        imageUses,
        'What for; with `_live` also what visitors see, at once. `profile_life` is `profile_live`; without it `profile`',
      ),
    ),
    crop: optionalText('The shown part: `{"Min":{"X":0,"Y":0},"Max":{"X":1,"Y":1}}`, in fractions of its size'),
  },
  { examples: [{ image_guid: 'Im4Tn6Vb9XsQ2Lp7Wd2Jh5N', image_use: 'profile' }] },
)
export const ImageReply = Type.Object(
  { image_url: Type.String(), image_guid: Type.String() },
  { description: 'The attached image' },
)

export const SiteTemplate = Type.Object(
  {
    template_guid: text('Its guid', 'Tpaper'),
    content: Type.Object({ display_name: text('A name', 'Your name'), description: text('A text', 'What you do') }),
    appearance: named(SiteAppearance, 'How it looks'),
    blocks: Type.Array(named(SiteBlock, 'A sample'), { description: 'Samples, to be replaced' }),
    status: choice(['active'], 'Always active'),
    categories: Type.Array(choice(templateCategories, 'A category')),
    created: moment(),
    modified: moment(),
    is_active: Type.Boolean(),
    is_paid: Type.Boolean({ description: 'Always false' }),
  },
  { $id: 'SiteTemplate' },
)

export const Prevalidate = Type.Object(
  { video_id: text('Id or URL of a video on YouTube') },
  { examples: [{ video_id: 'dQw4w9WgXcQ' }] },
)
export const Prevalidated = Type.Object(
  {
    video_url: text('The player', 'https://www.youtube.com/embed/dQw4w9WgXcQ'),
    thumbnail_url: text('A picture, at YouTube', 'https://i.ytimg.com/vi/dQw4w9WgXcQ/hqdefault.jpg'),
    link_title: text('Empty: nobody is asked for the title', ''),
    domain: text('The preferred domain of the group'),
  },
  { description: 'The content of a block of the type `youtubeVideo`' },
)

export const SitePreview = Type.Object(
  {
    display_name: optionalText('Instead of that of the draft', emptyRemoves),
    description: optionalText('Instead of that of the draft', emptyRemoves),
    appearance: Type.Optional(Type.Object(SiteAppearance.properties, { title: 'AppearanceInput' })),
    block: Type.Optional(
      Type.Object(
        {
          block_id: optionalText('The block that is changed; without it the block is new'),
          type: optionalChoice(blockTypes, 'Of a new block'),
          content: Type.Optional(BlockContentIn),
          ...changeFields,
        },
        { title: 'BlockPreview' },
      ),
    ),
  },
  { examples: [{ display_name: 'Anna', block: { type: 'text_block', content: { text: 'Hello' } } }] },
)

export const SiteList = Type.Object(
  {
    group_guid: Type.String(),
    ...listAnswer('sites', named(SiteRecord, 'A site'), '').properties,
    pagination: Pagination,
  },
  { description: 'A page of sites, newest first' },
)

export type SiteBody = Static<typeof SiteRecord>
export type TemplateBody = Static<typeof SiteTemplate>
export type BlockBody = Static<typeof SiteBlock>
export type ContentBody = Static<typeof BlockContentIn>
export const siteSchemas: readonly TSchema[] = [SiteAppearance, SiteBlock, SiteRecord, SiteTemplate]
