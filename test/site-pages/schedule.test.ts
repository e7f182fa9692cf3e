import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Block, type BlockType, linkIdsOf } from '../../src/core/sites/site.js'
import { Random } from '../archives/random.js'
import { useBrowser } from '../dashboard/dashboard-page.js'
import { browserTitle, chromium } from '../support/browser.js'
import { rounds } from '../support/rounds.js'
import { type StartedApp, useApp } from '../support/start-app.js'
import { aBlock, aDocument, publishSite } from './publish.js'
import { makeThings, type Things } from './samples.js'

const minute = 60_000
const lastMinute = 30

/** A link by its id: when it ends, in minutes; undefined: never. */
type Ends = ReadonlyMap<string, number | undefined>

describe.skipIf(!chromium)(`pages of random blocks, ${browserTitle}`, () => {
  const start = Date.UTC(2026, 5, 1)
  let now = start
  const started = useApp({}, { clock: { now: () => now } })
  const browser = useBrowser()
  let page: Page
  let things: Things
  beforeAll(async () => {
    things = await makeThings(started)
    page = await (await browser.newContext()).newPage()
  })

  it.each(Array.from({ length: 5 * rounds }, (_, at) => at + 1))(
    'show at every moment of their schedule what the model says (page %i)',
    { timeout: 120_000 },
    async (seed) => {
      now = start
      const random = new Random(seed)
      const ends = await someLinks(started, random, now)
      const blocks = randomBlocks(random, [...ends.keys()], things.images, start)
      const { path } = await publishSite(started, aDocument({}, blocks))
      // Every moment of the schedule, and the one before.
      const times = [...new Set(blocks.flatMap(({ scheduleStart, scheduleEnd }) => [scheduleStart, scheduleEnd]))]
      const expiries = [...ends.values()].map((end) => end !== undefined && end > 0 && start + end * minute)
      const moments = [start, ...times, ...expiries].filter((time) => typeof time === 'number')
      for (const moment of [...new Set(moments.flatMap((time) => [time - 1, time]))].sort((a, b) => a - b)) {
        if (moment < start) continue
        now = moment
        const { text } = await started.request('GET', path, { token: null })
        expect(await parsed(page, text), `after ${(moment - start) / minute} minutes`).toEqual(
          model(blocks, ends, moment, start),
        )
        for (const id of unseen(blocks, [...ends.keys()], text)) expect(text).not.toContain(id.split('/')[1])
      }
    },
  )
})

/** Links that no visible block has. */
function unseen(blocks: readonly Block[], links: readonly string[], text: string): readonly string[] {
  const isSeen = (block: Block) => text.includes(`Block ${blocks.indexOf(block)}.`)
  return links.filter((id) => !blocks.some((block) => linkIdsOf(block).includes(id) && isSeen(block)))
}

/** Some that stay, some that expire, and one that is deleted: it ends at minute zero. */
async function someLinks({ request }: StartedApp, random: Random, now: number): Promise<Ends> {
  const ends = new Map<string, number | undefined>()
  for (let at = 0; at < 6; at++) {
    const end = at === 0 ? 0 : at < 3 ? 6 + random.below(lastMinute - 6) : undefined
    const expiry = end ? { expiration_at: new Date(now + end * minute).toISOString().replace('.000Z', '+0000') } : {}
    const long_url = `https://example.com/${random.word()}`
    const { status, body } = await request('POST', '/v4/shortlinks', {
      body: { long_url, force_new_link: true, ...expiry },
    })
    expect([200, 201], JSON.stringify(body)).toContain(status)
    if (end === 0) expect((await request('DELETE', `/v4/shortlinks/${body.id}`)).status).toBe(200)
    ends.set(body.id, end)
  }
  return ends
}

const kinds = ['shortlink', 'image', 'text_block', 'youtubeVideo', 'digital_business_card', 'grid', 'carousel'] as const

/** Each has its place in the list as its text. */
function randomBlocks(
  random: Random,
  links: readonly string[],
  images: readonly string[],
  start: number,
): readonly Block[] {
  const blocks: Block[] = []
  for (let at = 0, count = 5 + random.below(25); at < count; at++) {
    const containers = blocks.filter(({ type }) => type === 'grid' || type === 'carousel')
    const inside = containers.length > 0 && random.below(2) === 0
    const type = inside ? random.of(kinds.slice(0, 5)) : random.of(kinds)
    const time = () => start + random.below(lastMinute) * minute
    const from = random.below(3) === 0 ? time() : undefined
    const until = random.below(3) === 0 ? (from ?? start) + (1 + random.below(lastMinute)) * minute : undefined
    const fields = {
      ...(inside && { containerId: random.of(containers).id }),
      scheduleStart: from,
      scheduleEnd: until,
      isActive: random.below(6) > 0,
      isPinned: random.below(5) === 0,
    }
    blocks.push(aBlock(type, contentOf(type, at, random, links, images) as never, fields))
  }
  return blocks
}

function contentOf(
  type: BlockType,
  at: number,
  random: Random,
  links: readonly string[],
  images: readonly string[],
): object {
  const title = `Block ${at}.`
  switch (type) {
    case 'shortlink':
      return { title, linkId: random.of(links), ...(random.below(2) === 0 && { imageGuid: random.of(images) }) }
    case 'image':
      return { title, imageGuid: random.of(images), ...(random.below(2) === 0 && { linkId: random.of(links) }) }
    case 'text_block':
      return { text: random.below(8) === 0 ? '  ' : title }
    case 'youtubeVideo':
      return { title, videoId: 'dQw4w9WgXcQ', linkId: random.of(links) }
    case 'digital_business_card':
      return { layout: random.of(['button', 'card', 'inline']), lastName: title, contacts: [], isDownloadable: true }
    default:
      return { title }
  }
}

/** What visitors see: the text of each block, with those inside it. */
type Shown = readonly (readonly [title: string, inside: Shown])[]

/** Says for each block by itself whether it is seen; the page finds them from top to bottom. */
function model(blocks: readonly Block[], ends: Ends, now: number, start: number): Shown {
  const titleOf = (block: Block) => `Block ${blocks.indexOf(block)}.`
  const isSeen = (block: Block): boolean => {
    const { isActive, scheduleStart = now, scheduleEnd = now + 1, content, containerId } = block
    if (!isActive || now < scheduleStart || now >= scheduleEnd) return false
    const linkId = 'linkId' in content ? content.linkId : undefined
    const end = linkId === undefined ? undefined : ends.get(linkId)
    if (end !== undefined && now >= start + end * minute) return false
    if ('text' in content && content.text.trim() === '') return false
    const isContainer = block.type === 'grid' || block.type === 'carousel'
    if (isContainer && !blocks.some((inner) => inner.containerId === block.id && isSeen(inner))) return false
    const container = blocks.find(({ id }) => id === containerId)
    // A container that is not shown because of its own switch or times hides what is in it.
    return container === undefined || (container.isActive && isWithin(container, now))
  }
  const rank = ({ isPinned }: Block) => (isPinned ? 0 : 1)
  const inOrder = (containerId: string | undefined): Shown =>
    blocks
      .filter((block) => block.containerId === containerId && isSeen(block))
      .toSorted((one, other) => rank(one) - rank(other))
      .map((block) => [titleOf(block), inOrder(block.id)])
  return inOrder(undefined)
}

function isWithin({ scheduleStart, scheduleEnd }: Block, now: number): boolean {
  return (scheduleStart ?? now) <= now && now < (scheduleEnd ?? now + 1)
}

/** Reads a page as a browser does. Runs in the page. */
const read = `(html) => {
  const document = new DOMParser().parseFromString(html, 'text/html')
  const titleOf = (item) => /Block \\d+\\./.exec(item.textContent)?.[0]
  const itemsOf = (list) => list === null ? [] : [...list.children].map((item) => {
    const inner = item.querySelector('ul.gr, .ca > ul')
    return [titleOf(item), itemsOf(inner)]
  })
  return itemsOf(document.querySelector('ul.bl'))
}`

async function parsed(page: Page, html: string): Promise<Shown> {
  return page.evaluate<Shown>(`(${read})(${JSON.stringify(html)})`)
}
