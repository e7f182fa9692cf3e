/** Ten pages, each in another look, that together have every kind of block and header. */
import type { Block, CardContent, LinkContent, SiteDocument } from '../../src/core/sites/site.js'
import { jpeg } from '../support/pictures.js'
import type { StartedApp } from '../support/start-app.js'
import { aBlock, aDocument } from './publish.js'

/** What the pages refer to. */
export interface Things {
  /** Ids of links. */
  readonly links: readonly string[]
  readonly images: readonly string[]
}

/** Made by the API. */
export async function makeThings({ request }: Pick<StartedApp, 'request'>): Promise<Things> {
  const links = Array.from({ length: 4 }, async (_, at) => {
    const { body } = await request('POST', '/v4/shorten', { body: { long_url: `https://example.com/page/${at}` } })
    return String(body.id)
  })
  const images = Array.from({ length: 3 }, async (_, at) => {
    const headers = { 'content-type': 'image/jpeg' }
    const { body } = await request('POST', '/v4/images', { body: await jpeg(800, 500 + at), headers })
    return String(body.guid)
  })
  return { links: await Promise.all(links), images: await Promise.all(images) }
}

type Sample = (things: Things) => SiteDocument

export const samples: Readonly<Record<string, Sample>> = {
  photographer: (things) =>
    aDocument(
      { displayName: 'Mara Lindqvist', description: 'Photographer of cold places and warm people.\nStockholm' },
      everything(things),
      { avatarImageGuid: things.images[0], socialIconPosition: 'top' },
    ),
  plain: (things) => aDocument({ displayName: 'The Paper Kites Club', description: 'Six friends' }, few(things)),
  night: (things) =>
    aDocument(
      { displayName: 'Juno & the Owls', description: 'On tour until May' },
      few(things),
      { themeId: 3, socialIconLayout: 'buttons', font: 'Geometric', buttonShape: 'pill' },
      {
        bannerType: 'hero',
        bannerImageGuid: things.images[1],
        profileImageOverflow: true,
        profileImageBorderSize: 'med',
      },
    ),
  bakery: (things) =>
    aDocument(
      { displayName: 'Brot & Salz', description: 'Bakery and café in the old mill' },
      [...few(things), ...grid(things)],
      { themeId: 2, font: 'Serif', buttonShape: 'rectangle' },
      { bannerType: 'frame', bannerImageGuid: things.images[0], titleSize: 'lg', titleBorderType: 'below' },
    ),
  arcade: (things) =>
    aDocument(
      { displayName: 'ARCADE 84', description: 'Open until late' },
      few(things),
      { themeId: 13, font: 'Mono', buttonShape: 'rectangle', buttonShadow: 'hard', layout: 'compact' },
      { titleAlignment: 'start', descriptionAlignment: 'start', profileImageLocation: 'left' },
    ),
  lodge: (things) =>
    aDocument({ displayName: 'Abisko Lodge', description: 'Cabins under the northern lights' }, few(things), {
      stylePreference: 'image',
      backgroundPreference: 'image',
      backgroundImageGuid: things.images[1],
      buttonShape: 'pill',
      buttonShadow: 'soft',
    }),
  rightToLeft: (things) =>
    aDocument(
      { displayName: 'ليلى حداد', description: 'مهندسة معمارية وكاتبة من عمّان' },
      [
        aBlock('social', { channel: 'instagram', url: 'https://instagram.example/layla' }),
        link(things, 'مشاريعي', { imageGuid: things.images[0] }),
        ...carousel(things),
        person({ firstName: 'ليلى', lastName: 'حداد' }),
      ],
      { themeId: 6 },
      { titleAlignment: 'start', descriptionAlignment: 'start', profileImageLocation: 'left' },
    ),
  garden: (things) =>
    aDocument(
      { displayName: 'Flora & Fern', description: 'Plants, pots and patience' },
      [...few(things), person({ layout: 'button', imageGuid: things.images[2] })],
      { themeId: 4, font: 'Rounded', buttonShape: 'pill', avatarImageGuid: things.images[2] },
      { bannerType: 'rounded_up', bannerImageGuid: things.images[0], profileImageOverflow: true },
    ),
  museum: (things) =>
    aDocument(
      { displayName: 'City Museum', description: 'Free entry on the first Sunday of each month' },
      [...few(things), person({ layout: 'inline' })],
      {
        stylePreference: 'custom',
        backgroundPreference: 'gradient',
        bottomBackgroundColor: '#f1e9dc',
        font: 'Slab',
        hidesLogo: true,
        layout: 'wide',
      },
      {
        bannerType: 'square',
        bannerImageGuid: things.images[1],
        bannerImageAlignment: 'repeat',
        stylePreference: 'custom',
        backgroundColor: '#7a1f2b',
        textLocation: 'contain',
      },
    ),
  sunset: (things) =>
    aDocument(
      { displayName: 'Sunset Sessions', description: 'Live on the roof, every Friday' },
      few(things),
      { themeId: 12, buttonShadow: 'soft', noIndex: true },
      {
        bannerType: 'gradient',
        bannerImageGuid: things.images[1],
        textLocation: 'top',
        titleBorderType: 'above_and_below',
      },
    ),
}

export function link({ links }: Things, title: string, more: Partial<LinkContent> = {}): Block {
  return aBlock('shortlink', { linkId: links[0], title, ...more })
}

export function person(more: Partial<CardContent> = {}): Block {
  return aBlock('digital_business_card', {
    layout: 'card',
    firstName: 'Mara',
    lastName: 'Lindqvist',
    pronouns: 'she/her',
    company: 'Northlight Studio',
    jobTitle: 'Photographer',
    isDownloadable: true,
    contacts: [
      { method: 'email', label: 'work', value: 'mara@northlight.example' },
      { method: 'phone', label: 'mobile', value: '+46 70 123 45 67' },
      { method: 'website', label: 'homepage', value: 'https://northlight.example/' },
      { method: 'location', label: 'office', value: 'Skeppsbron 14\n111 30 Stockholm' },
      { method: 'note', label: 'no_label', value: 'Mondays by appointment' },
    ],
    ...more,
  })
}

function few(things: Things): readonly Block[] {
  return [
    ...['instagram', 'tiktok', 'spotify', 'x', 'unknown place'].map((channel) =>
      aBlock('social', { channel, url: 'https://social.example/owls' }),
    ),
    link(things, 'Listen to the new record'),
    link(things, 'Tour dates', { imageGuid: things.images[0] }),
    link(things, 'Shop', { description: 'Vinyl, shirts, posters' }),
    aBlock('shortlink', { url: 'mailto:hello@example.com', title: 'Write to us' }),
  ]
}

function grid(things: Things): readonly Block[] {
  const container = aBlock('grid', { title: 'From the shop' })
  const titles = ['Prints', 'Workshops', 'Postcards', 'Studio visits']
  const items = titles.map((title, at) => link(things, title, { layout: 'card', imageGuid: things.images[at % 3] }))
  return [container, ...items.map((item) => ({ ...item, containerId: container.id }))]
}

function carousel({ images, links }: Things): readonly Block[] {
  const container = aBlock('carousel', { title: 'Journeys', description: 'By train and on foot' })
  const items = images.map((imageGuid, at) =>
    aBlock('image', { imageGuid, title: `Picture ${at}`, linkId: at === 1 ? links[1] : undefined }),
  )
  return [container, ...items.map((item) => ({ ...item, containerId: container.id }))]
}

function everything(things: Things): readonly Block[] {
  const { images, links } = things
  const part = { left: 0.1, top: 0.2, right: 0.6, bottom: 0.7 }
  return [
    ...few(things),
    link(things, 'The studio journal, a letter every second month, with long stories and small pictures'),
    link(things, 'A card', { layout: 'card', imageGuid: images[1], crop: part, description: 'With a picture' }),
    aBlock(
      'text_block',
      { text: 'Latest film' },
      { appearance: { alignment: 'center', fontSize: 'large', bold: true } },
    ),
    aBlock('text_block', { text: 'On its own ground' }, { appearance: { backgroundColor: '#143d2b' } }),
    aBlock('youtubeVideo', { videoId: 'dQw4w9WgXcQ', linkId: links[2] ?? '', title: 'Above the Arctic Circle' }),
    ...grid(things),
    ...carousel(things),
    aBlock('image', {
      imageGuid: images[0] ?? '',
      title: 'Low tide',
      description: 'Gotland',
      aspectRatio: '16:9',
      linkId: links[3],
    }),
    aBlock('image', { imageGuid: images[2] ?? '', crop: part }),
    person({ imageGuid: images[2] }),
  ]
}
