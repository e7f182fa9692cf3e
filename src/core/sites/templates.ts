/**
 * Ready-made sites (docs/api/sites.md#templates): an appearance, and sample blocks to be replaced. All of their texts hold
 * the contrast that is asked of everybody.
 */
import {
  type Appearance,
  type Block,
  type BlockContents,
  type CardLayout,
  type ContentType,
  defaultAppearance,
  defaultHeader,
  type TextAppearance,
} from './site.js'

export const templateCategories = [
  'Link-in-bio',
  'Products and services',
  'Promotions',
  'Digital business card',
  'Image gallery',
  'Recommended',
] as const
type TemplateCategory = (typeof templateCategories)[number]

export interface Template {
  readonly guid: string
  readonly categories: readonly TemplateCategory[]
  readonly displayName: string
  readonly description: string
  readonly appearance: Appearance
  readonly blocks: readonly Block[]
}

/** When they were written. */
export const templatesWrittenAt = Date.parse('2026-11-18T00:00:00Z')

type Look = Partial<Omit<Appearance, 'header'>> & { readonly header?: Partial<Appearance['header']> }

interface Sketch {
  readonly name: string
  readonly categories: readonly TemplateCategory[]
  readonly title: string
  readonly about: string
  /** Background, text, descriptions, buttons and their texts, icons. */
  readonly colors: readonly [string, string, string, string, string, string]
  readonly look?: Look
  readonly blocks: readonly Sample[]
}

type Content = {
  readonly [Type in ContentType]: readonly [Type, BlockContents[Type], (TextAppearance | undefined)?]
}[ContentType]
/** A container has samples of its own. */
type Sample = Content | readonly ['grid' | 'carousel', BlockContents['grid'], readonly Content[]]

const example = 'https://example.com/'
const button = (title: string, description?: string, layout?: CardLayout): Content => [
  'shortlink',
  { url: example, title, ...(description !== undefined && { description }), ...(layout && { layout }) },
]
/** Only its edge is drawn. */
const outline = (title: string, description?: string) => button(title, description, 'inline')
/** With a large picture, or a drawn one until there is one. */
const tile = (title: string, description?: string) => button(title, description, 'card')
const text = (words: string, appearance?: TextAppearance): Content => ['text_block', { text: words }, appearance]
const heading = (words: string) => text(words, { fontSize: 'large', bold: true })
const social = (channel: string): Content => ['social', { channel, url: `https://${channel}.com/` }]
const card = (layout: CardLayout, jobTitle: string, company: string): Content => [
  'digital_business_card',
  {
    layout,
    firstName: 'First',
    lastName: 'Last',
    jobTitle,
    company,
    contacts: [
      { method: 'email', label: 'work', value: 'name@example.com' },
      { method: 'phone', label: 'mobile', value: '+1 555 0100' },
      { method: 'location', label: 'office', value: '1 Main Street' },
    ],
    isDownloadable: true,
  },
]

const atStart = { titleAlignment: 'start', descriptionAlignment: 'start', profileImageLocation: 'left' } as const
/** The picture of the owner stands on the lower edge of the banner. */
const onEdge = { profileImageOverflow: true, profileImageBorderSize: 'med' } as const

const sketches: readonly Sketch[] = [
  {
    name: 'paper',
    categories: ['Link-in-bio', 'Recommended'],
    title: 'Your name',
    about: 'Essays, a letter every other Sunday, and a shelf of books',
    colors: ['#faf7f2', '#292524', '#57534e', '#292524', '#faf7f2', '#44403c'],
    look: {
      font: 'Serif',
      buttonShape: 'rectangle',
      socialIconPosition: 'top',
      header: { ...atStart, profileImageSize: 'sm', titleSize: 'lg', titleWeight: 'regular', descriptionSize: 'med' },
    },
    blocks: [
      button('The letter', 'Join its readers'),
      outline('Latest essay', 'Eight minutes to read'),
      outline('Books I keep'),
      outline('About me'),
      social('instagram'),
      social('substack'),
    ],
  },
  {
    name: 'midnight',
    categories: ['Link-in-bio', 'Recommended'],
    title: 'Your name',
    about: 'Songs for long drives',
    colors: ['#0b1020', '#f8fafc', '#cbd5e1', '#38bdf8', '#082f49', '#7dd3fc'],
    look: {
      backgroundPreference: 'gradient',
      bottomBackgroundColor: '#1e1b4b',
      font: 'Geometric',
      buttonShape: 'pill',
      socialIconPosition: 'top',
      socialIconLayout: 'buttons',
      header: {
        bannerType: 'gradient',
        backgroundColor: '#172a5c',
        ...onEdge,
        profileImageSize: 'lg',
        titleSize: 'lg',
      },
    },
    blocks: [
      button('New single', 'Out now, everywhere'),
      outline('Tour dates'),
      outline('Merchandise'),
      social('spotify'),
      social('tiktok'),
      social('youtube'),
    ],
  },
  {
    name: 'meadow',
    categories: ['Link-in-bio', 'Products and services'],
    title: 'Your studio',
    about: 'Yoga in small groups, every day but Monday',
    colors: ['#f0fdf6', '#064e3b', '#065f46', '#065f46', '#ecfdf5', '#047857'],
    look: {
      font: 'Rounded',
      buttonShape: 'pill',
      buttonShadow: 'soft',
      header: { bannerType: 'rounded_up', backgroundColor: '#c9f2dd', ...onEdge, profileImageSize: 'lg' },
    },
    blocks: [
      button('Book a class'),
      button('Timetable'),
      button('Gift vouchers'),
      text('The first class is free. Come as you are.'),
      social('instagram'),
      social('facebook'),
    ],
  },
  {
    name: 'counter',
    categories: ['Products and services', 'Recommended'],
    title: 'Your shop',
    about: 'Made by hand, sent within two days',
    colors: ['#fffdf7', '#1c1917', '#57534e', '#9a3412', '#ffffff', '#9a3412'],
    look: {
      font: 'Humanist',
      header: {
        bannerType: 'frame',
        backgroundColor: '#fde9c8',
        ...onEdge,
        profileImageShape: 'rounded_square',
        titleSize: 'lg',
      },
    },
    blocks: [
      button('Open the shop', 'Everything that is in stock'),
      ['grid', { title: 'New this month' }, [tile('Cups'), tile('Bowls'), tile('Plates'), tile('Vases')]],
      outline('Delivery and returns'),
      social('instagram'),
    ],
  },
  {
    name: 'workbench',
    categories: ['Products and services'],
    title: 'Your company',
    about: 'Repairs, fitting and advice',
    colors: ['#f1f5f9', '#0f172a', '#334155', '#1d4ed8', '#ffffff', '#1e40af'],
    look: {
      font: 'Inter',
      header: {
        ...atStart,
        bannerType: 'square',
        ...onEdge,
        profileImageLocation: 'right',
        profileImageShape: 'rounded_square',
        textLocation: 'contain',
        backgroundColor: '#bfdbfe',
      },
    },
    blocks: [
      button('Make an appointment', 'Free within ten miles'),
      button('Services and prices'),
      button('Our work'),
      heading('Opening hours'),
      text('Monday to Friday, 8 to 17\nSaturday, 9 to 13'),
      outline('Directions'),
    ],
  },
  {
    name: 'sale',
    categories: ['Promotions'],
    title: 'Summer sale',
    about: 'On everything, until Sunday',
    colors: ['#7f1d1d', '#fff7ed', '#fed7aa', '#fde047', '#422006', '#fdba74'],
    look: {
      font: 'Geometric',
      buttonShape: 'rectangle',
      buttonShadow: 'hard',
      header: {
        bannerType: 'hero',
        backgroundColor: '#991b1b',
        ...onEdge,
        titleSize: 'lg',
        descriptionSize: 'med',
      },
    },
    blocks: [
      text('Up to −50 %', {
        alignment: 'center',
        fontSize: 'extra_large',
        bold: true,
        backgroundColor: '#fff7ed',
        textColor: '#7f1d1d',
      }),
      button('See all offers'),
      button('Only today'),
      outline('Find a shop'),
      text('As long as stocks last.', { alignment: 'center', fontSize: 'small' }),
    ],
  },
  {
    name: 'launch',
    categories: ['Promotions'],
    title: 'It is here',
    about: 'Lighter, quieter, and in four colours',
    colors: ['#1e1b4b', '#eef2ff', '#c7d2fe', '#eef2ff', '#312e81', '#a5b4fc'],
    look: {
      font: 'System',
      backgroundPreference: 'gradient',
      bottomBackgroundColor: '#581c87',
      buttonShape: 'pill',
      header: { profileImageSize: 'xl', profileImageShape: 'rounded_square', titleSize: 'lg', descriptionSize: 'med' },
    },
    blocks: [
      button('Order now'),
      outline('What is new'),
      ['carousel', { title: 'Four colours' }, [tile('Night'), tile('Lilac'), tile('Sky'), tile('Snow')]],
    ],
  },
  {
    name: 'visit',
    categories: ['Digital business card', 'Recommended'],
    title: 'First Last',
    about: 'Job title, company',
    colors: ['#f8fafc', '#0f172a', '#475569', '#1e3a8a', '#f8fafc', '#1e3a8a'],
    look: {
      font: 'Inter',
      socialIconPosition: 'top',
      header: { ...atStart, ...onEdge, bannerType: 'hero', backgroundColor: '#c7d7f5', profileImageSize: 'lg' },
    },
    blocks: [card('card', 'Job title', 'Company'), outline('Make an appointment'), social('linkedin')],
  },
  {
    name: 'letterhead',
    categories: ['Digital business card'],
    title: 'Your office',
    about: 'Attorneys at law',
    colors: ['#fdfcf8', '#1c1917', '#57534e', '#7c2d12', '#fffbeb', '#7c2d12'],
    look: {
      font: 'Serif',
      layout: 'compact',
      buttonShape: 'rectangle',
      header: {
        profileImageShape: 'square',
        profileImageSize: 'sm',
        titleSize: 'lg',
        titleWeight: 'regular',
        titleBorderType: 'above_and_below',
      },
    },
    blocks: [
      card('inline', 'Attorney', 'Office'),
      button('Make an appointment'),
      text('By appointment, Monday to Friday.', { alignment: 'center', italic: true }),
    ],
  },
  {
    name: 'gallery',
    categories: ['Image gallery', 'Recommended'],
    title: 'Your pictures',
    about: 'Photographs of cold places',
    colors: ['#111111', '#fafafa', '#d4d4d4', '#fafafa', '#171717', '#e5e5e5'],
    look: {
      font: 'System',
      layout: 'wide',
      buttonShape: 'rectangle',
      socialIconPosition: 'top',
      header: { ...atStart, profileImageSize: 'sm', titleSize: 'lg', backgroundColor: '#262626' },
    },
    blocks: [
      ['grid', {}, [tile('North'), tile('Harbours'), tile('Ice'), tile('Nights')]],
      outline('Order a print'),
      social('instagram'),
      social('pinterest'),
    ],
  },
  {
    name: 'exhibition',
    categories: ['Image gallery'],
    title: 'Your exhibition',
    about: 'Paintings and drawings, until the end of March',
    colors: ['#fff1f2', '#4c0519', '#881337', '#9f1239', '#fff1f2', '#9f1239'],
    look: {
      font: 'Slab',
      header: {
        bannerType: 'gradient',
        backgroundColor: '#fecdd3',
        textLocation: 'top',
        titleSize: 'lg',
        profileImageSize: 'sm',
      },
    },
    blocks: [
      ['carousel', { title: 'In the first room' }, [tile('Morning', 'Oil, 2024'), tile('Noon', 'Ink'), tile('Dusk')]],
      button('Buy a ticket'),
      outline('Catalogue'),
      text('Tuesday to Sunday, 10 to 18', { alignment: 'center' }),
      social('instagram'),
    ],
  },
  {
    name: 'terminal',
    categories: ['Link-in-bio'],
    title: 'Your name',
    about: 'Code, talks and notes',
    colors: ['#0c0a09', '#d9f99d', '#bef264', '#d9f99d', '#1a2e05', '#a3e635'],
    look: {
      font: 'Mono',
      buttonShape: 'rectangle',
      layout: 'compact',
      socialIconPosition: 'top',
      header: { ...atStart, profileImageShape: 'square', profileImageSize: 'xs', titleSize: 'sm' },
    },
    blocks: [
      outline('projects/', 'What I build'),
      outline('talks/', 'Slides and recordings'),
      outline('notes/', 'Half-finished thoughts'),
      button('hire me'),
      social('github'),
      social('mastodon'),
    ],
  },
]

export const templates: readonly Template[] = sketches.map((sketch, at) => {
  const { name, categories, title, about, blocks, look = {} } = sketch
  const [backgroundColor, textColor, descriptionColor, buttonBackgroundColor, buttonTextColor, socialIconColor] =
    sketch.colors
  const { header, ...page } = look
  const colors = {
    ...{ backgroundColor, bottomBackgroundColor: backgroundColor, textColor, descriptionColor },
    ...{ buttonBackgroundColor, buttonTextColor, socialIconColor },
  }
  return {
    guid: `T${name}`,
    categories,
    displayName: title,
    description: about,
    appearance: {
      ...defaultAppearance,
      ...colors,
      ...page,
      stylePreference: 'custom',
      themeId: at + 2,
      header: { ...defaultHeader, stylePreference: 'custom', backgroundColor, ...header },
    },
    blocks: blocks.flatMap((sample, order) => blocksOf(sample, `L${name}${order}`)),
  }
})

function blocksOf([type, content, more]: Sample, id: string, containerId?: string): readonly Block[] {
  const fields = { id, type, content, isActive: true, isPinned: false, isSample: true }
  const isContainer = type === 'grid' || type === 'carousel'
  const own = { ...fields, ...(containerId && { containerId }), ...(!isContainer && more && { appearance: more }) }
  const inner = isContainer ? (more as readonly Content[]) : []
  return [own as Block, ...inner.flatMap((each, order) => blocksOf(each, `${id}-${order}`, id))]
}

/** The appearance whose colors a page has: that of its theme, a template by its number, unless colors were chosen. */
export function coloredAs(appearance: Appearance): Appearance {
  if (appearance.stylePreference !== 'theme' || !isUncolored(appearance)) return appearance
  return templates.find((template) => template.appearance.themeId === appearance.themeId)?.appearance ?? appearance
}

/** Colors count as chosen unless all are as by default. */
export function isUncolored(appearance: Appearance): boolean {
  const names = ['backgroundColor', 'bottomBackgroundColor', 'textColor', 'descriptionColor'] as const
  const ofButtons = ['buttonBackgroundColor', 'buttonTextColor', 'socialIconColor'] as const
  const isDefault = [...names, ...ofButtons].every((name) => appearance[name] === defaultAppearance[name])
  return isDefault && appearance.header.backgroundColor === defaultHeader.backgroundColor
}
