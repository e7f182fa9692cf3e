/**
 * Sites: pages with links, pictures and texts (docs/api/sites.md). A site has two documents: the draft, which its owners
 * change, and the live one, which visitors see. Its addresses are those of a link that was made for it and is hidden.
 */
import { isDeepStrictEqual } from 'node:util'

export interface Site {
  readonly guid: string
  readonly groupGuid: string
  /** The hidden link. Its hash leads to the page too, whatever the other addresses are: QR codes have it. */
  readonly linkId: string
  /** The stored address that visitors see: `<domain key>/<path>`; the path is empty at the root of a branded domain. */
  readonly address: string
  readonly status: 'active' | 'inactive'
  readonly draft: SiteDocument
  /** Undefined before it is published. */
  readonly live: SiteDocument | undefined
  readonly qrCodeId: string | undefined
  readonly publishedAt: number | undefined
  readonly createdBy: string
  readonly createdAt: number
  readonly modifiedAt: number
  /** Of its former addresses, newest first. Those that were removed lead nowhere. */
  readonly redirects: readonly SiteRedirect[]
}

export interface SiteRedirect {
  readonly guid: string
  readonly address: string
  readonly status: 'active' | 'inactive'
  readonly createdAt: number
  readonly modifiedAt: number
}

/** One version of a page. */
export interface SiteDocument {
  readonly displayName: string
  readonly description: string
  readonly appearance: Appearance
  /** In their order; those of a container are ordered among themselves. */
  readonly blocks: readonly Block[]
}

export type Block = {
  readonly [Type in BlockType]: BlockFields & { readonly type: Type; readonly content: BlockContents[Type] }
}[BlockType]

interface BlockFields {
  readonly id: string
  /** The grid or carousel that it is in. */
  readonly containerId?: string | undefined
  /** Epoch milliseconds: shown from then on, until then. */
  readonly scheduleStart?: number | undefined
  readonly scheduleEnd?: number | undefined
  readonly isActive: boolean
  /** Shown above the others of its container. */
  readonly isPinned: boolean
  /** Came with a template, to be replaced. */
  readonly isSample: boolean
  readonly appearance?: TextAppearance | undefined
}

export const containerTypes = ['grid', 'carousel'] as const
export const contentTypes = [
  'shortlink',
  'social',
  'youtubeVideo',
  'image',
  'digital_business_card',
  'text_block',
] as const
export const blockTypes = [...contentTypes, ...containerTypes] as const
export type ContentType = (typeof contentTypes)[number]
export type BlockType = (typeof blockTypes)[number]

export interface BlockContents {
  readonly shortlink: LinkContent
  readonly social: SocialContent
  readonly youtubeVideo: VideoContent
  readonly image: ImageContent
  readonly digital_business_card: CardContent
  readonly text_block: { readonly text: string }
  readonly grid: ContainerContent
  readonly carousel: ContainerContent
}

interface Titled {
  readonly title?: string | undefined
  readonly description?: string | undefined
}

interface Pictured {
  readonly imageGuid?: string | undefined
  /** The part of the image that is shown, in fractions of its size. */
  readonly crop?: Crop | undefined
}

export interface Crop {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

/** Exactly one of `linkId` and `url`. */
export interface LinkContent extends Titled, Pictured {
  /** Id of a link of the group. It may be deleted, and then shows nothing. */
  readonly linkId?: string | undefined
  /** What no short link leads to: mailto:, tel: or sms:. */
  readonly url?: string | undefined
  readonly layout?: CardLayout | undefined
}

interface SocialContent {
  /** A name such as `facebook`; `channels.ts` lists those that have an icon. */
  readonly channel: string
  readonly url: string
}

interface VideoContent extends Titled, Pictured {
  /** On YouTube. */
  readonly videoId: string
  /** The link to it. */
  readonly linkId: string
}

interface ImageContent extends Titled, Pictured {
  readonly imageGuid: string
  /** `<width>:<height>`. */
  readonly aspectRatio?: string | undefined
  readonly linkId?: string | undefined
}

export const cardLayouts = ['button', 'card', 'inline'] as const
export type CardLayout = (typeof cardLayouts)[number]

export interface CardContent extends Titled, Pictured {
  readonly layout: CardLayout
  readonly firstName?: string | undefined
  readonly lastName?: string | undefined
  readonly pronouns?: string | undefined
  readonly company?: string | undefined
  readonly jobTitle?: string | undefined
  /** In their order. */
  readonly contacts: readonly Contact[]
  /** Whether visitors may download it as a vCard. */
  readonly isDownloadable: boolean
  /** The vCard that they get instead of the one that is made of these fields. */
  readonly file?: { readonly name: string; readonly text: string } | undefined
}

export const contactMethods = ['email', 'phone', 'location', 'note', 'website'] as const
export const contactLabels = [
  'no_label',
  'email',
  'work',
  'personal',
  'home',
  'other',
  'mobile',
  'direct',
  'main',
  'fax',
  'office',
  'address',
  'company',
  'homepage',
] as const

export interface Contact {
  readonly method: (typeof contactMethods)[number]
  readonly label: (typeof contactLabels)[number]
  readonly value: string
  /** Of a website: the link that leads there. */
  readonly linkId?: string | undefined
}

interface ContainerContent extends Titled {
  readonly aspectRatio?: string | undefined
}

export const alignments = ['left', 'center', 'right', 'justified'] as const
export const fontSizes = ['small', 'medium', 'large', 'extra_large'] as const

/** Of a text block. */
export interface TextAppearance {
  readonly backgroundColor?: string | undefined
  readonly textColor?: string | undefined
  readonly alignment?: (typeof alignments)[number] | undefined
  readonly fontSize?: (typeof fontSizes)[number] | undefined
  readonly bold?: boolean | undefined
  readonly italic?: boolean | undefined
  readonly underline?: boolean | undefined
}

/** Whether visitors see the block now, if its container is shown. */
export function isShown(block: Pick<Block, 'isActive' | 'scheduleStart' | 'scheduleEnd'>, now: number): boolean {
  const { isActive, scheduleStart = 0, scheduleEnd = Number.POSITIVE_INFINITY } = block
  return isActive && scheduleStart <= now && now < scheduleEnd
}

/** Links of blocks that visitors see now, if nothing happened to the links themselves. */
export function linksShown({ blocks }: SiteDocument, now: number): ReadonlySet<string> {
  const hidden = new Set(blocks.filter((block) => !isShown(block, now)).map(({ id }) => id))
  const shown = blocks.filter(({ id, containerId = '' }) => !hidden.has(id) && !hidden.has(containerId))
  return new Set(shown.flatMap(linkIdsOf))
}

/** When the next block of the document appears or disappears; undefined if none ever does. */
export function nextMoment({ blocks }: SiteDocument, now: number): number | undefined {
  const times = blocks.flatMap(({ isActive, scheduleStart, scheduleEnd }) =>
    isActive ? [scheduleStart, scheduleEnd] : [],
  )
  const later = times.filter((time): time is number => time !== undefined && time > now)
  return later.length === 0 ? undefined : Math.min(...later)
}

/** What a document refers to. */
export interface DocumentUses {
  readonly imageGuids: ReadonlySet<string>
  /** The links behind its blocks, with the type of the first one. */
  readonly links: ReadonlyMap<string, BlockType>
}

export function usesOf({ appearance, blocks }: SiteDocument): DocumentUses {
  const { avatarImageGuid, backgroundImageGuid, header } = appearance
  const images = [avatarImageGuid, backgroundImageGuid, header.bannerImageGuid, ...blocks.map(imageOf)]
  const links = blocks.flatMap((block) => linkIdsOf(block).map((id) => [id, block.type] as const))
  return {
    imageGuids: new Set(images.filter((guid) => guid !== undefined)),
    // The first one of each wins.
    links: new Map(links.reverse()),
  }
}

export function linkIdsOf({ content }: Pick<Block, 'content'>): readonly string[] {
  const own = 'linkId' in content ? [content.linkId] : []
  const contacts = 'contacts' in content ? content.contacts.map(({ linkId }) => linkId) : []
  return [...own, ...contacts].filter((id) => id !== undefined)
}

function imageOf({ content }: Block): string | undefined {
  return 'imageGuid' in content ? content.imageGuid : undefined
}

export function isEdited({ draft, live }: Pick<Site, 'draft' | 'live'>): boolean {
  return !isDeepStrictEqual(draft, live)
}

/** Where a site is, without its documents. */
export interface SitePlaces extends Pick<Site, 'guid' | 'groupGuid' | 'linkId' | 'address' | 'createdAt'> {
  readonly redirects: readonly Pick<SiteRedirect, 'address'>[]
}

/** The active addresses: the present one and those that lead to it. */
export function addressesOf({
  address,
  linkId,
  redirects,
}: Pick<SitePlaces, 'address' | 'linkId' | 'redirects'>): readonly string[] {
  return [linkId, address, ...redirects.map((redirect) => redirect.address)]
}

// How a page looks. Each field is described here once; edges/v4/schemas/site-appearance.ts has their words on the wire.

/** One of these texts, and the one that it is where nothing was sent. */
function choice<const Values extends readonly string[]>(initial: Values[number], values: Values) {
  return { kind: 'choice', values, initial } as const
}

/** `#rrggbb`. */
function color(initial: string) {
  return { kind: 'color', initial } as const
}

function flag(initial: boolean) {
  return { kind: 'flag', initial } as const
}

function upTo(most: number, initial: number) {
  return { kind: 'number', most, initial } as const
}

const sizes = ['xs', 'sm', 'med', 'lg'] as const
const styles = ['custom', 'theme', 'image'] as const
const imageAlignments = ['stretch', 'fit', 'repeat'] as const
const textAlignments = ['start', 'center'] as const
const weights = ['regular', 'bold', 'semi_bold'] as const
const borders = ['none', 'below', 'above_and_below'] as const
const typefaces = ['Inter', 'System', 'Rounded', 'Humanist', 'Geometric', 'Serif', 'Slab', 'Mono'] as const

export const headerFields = {
  bannerType: choice('none', ['none', 'hero', 'rounded_up', 'gradient', 'square', 'frame']),
  profileImageSize: choice('med', [...sizes, 'xl']),
  profileImageShape: choice('round', ['round', 'rounded_square', 'square']),
  profileImageBorderSize: choice('none', ['none', ...sizes]),
  profileImageType: choice('single', ['single', 'repeating']),
  profileImageLocation: choice('center', ['left', 'center', 'right']),
  profileImageOverflow: flag(false),
  /** `contain`: on the banner. `bottom`: below it. */
  textLocation: choice('bottom', ['top', 'contain', 'bottom']),
  titleSize: choice('med', sizes),
  descriptionSize: choice('sm', sizes),
  titleAlignment: choice('center', textAlignments),
  descriptionAlignment: choice('center', textAlignments),
  titleWeight: choice('bold', weights),
  descriptionWeight: choice('regular', weights),
  titleBorderType: choice('none', borders),
  descriptionBorderType: choice('none', borders),
  backgroundColor: color('#f4f4f5'),
  stylePreference: choice('theme', styles),
  bannerImageAlignment: choice('stretch', imageAlignments),
}

export const pageFields = {
  layoutV2: upTo(99, 1),
  themeId: upTo(9999, 1),
  hidesLogo: flag(false),
  /** Search engines leave the page out. */
  noIndex: flag(false),
  layout: choice('default', ['default', 'compact', 'wide']),
  font: choice('Inter', typefaces),
  stylePreference: choice('theme', styles),
  backgroundColor: color('#ffffff'),
  /** Where a gradient ends. */
  bottomBackgroundColor: color('#ffffff'),
  textColor: color('#18181b'),
  descriptionColor: color('#52525b'),
  backgroundPreference: choice('color', ['color', 'gradient', 'image']),
  backgroundImageAlignment: choice('stretch', imageAlignments),
  buttonBackgroundColor: color('#18181b'),
  buttonTextColor: color('#ffffff'),
  buttonShape: choice('rounded', ['rectangle', 'rounded', 'pill']),
  buttonShadow: choice('none', ['none', 'soft', 'hard']),
  socialIconColor: color('#18181b'),
  socialIconLayout: choice('icons', ['icons', 'buttons']),
  socialIconPosition: choice('bottom', ['top', 'bottom']),
}

export type LookField =
  | ReturnType<typeof color | typeof flag | typeof upTo>
  | ReturnType<typeof choice<readonly string[]>>
type LookFields = Readonly<Record<string, LookField>>
type ValuesOf<Fields extends LookFields> = { readonly [Name in keyof Fields]: Fields[Name]['initial'] }

export interface HeaderAppearance extends ValuesOf<typeof headerFields> {
  readonly bannerImageGuid?: string | undefined
}

export interface Appearance extends ValuesOf<typeof pageFields> {
  readonly backgroundImageGuid?: string | undefined
  readonly avatarImageGuid?: string | undefined
  readonly header: HeaderAppearance
  /** The shown parts of its images, by their guids. */
  readonly crops?: Readonly<Record<string, Crop>> | undefined
}

export const defaultHeader: HeaderAppearance = initialOf(headerFields)
export const defaultAppearance: Appearance = { ...initialOf(pageFields), header: defaultHeader }

function initialOf<Fields extends LookFields>(fields: Fields): ValuesOf<Fields> {
  const entries = Object.entries(fields).map(([name, { initial }]) => [name, initial])
  return Object.fromEntries(entries) as ValuesOf<Fields>
}

export const emptyDocument: SiteDocument = {
  displayName: '',
  description: '',
  appearance: defaultAppearance,
  blocks: [],
}

/** Of one page, those in containers included. */
export const maxBlocks = 200
/** Of a document: short links behind its blocks, and bytes as JSON. It is read as a whole by each request. */
export const maxLinks = 300
const maxDocumentBytes = 512 * 1024

export function isTooLarge(document: SiteDocument): boolean {
  return usesOf(document).links.size > maxLinks || Buffer.byteLength(JSON.stringify(document)) > maxDocumentBytes
}
