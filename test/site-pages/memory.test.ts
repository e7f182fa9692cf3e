/** What pages and their pictures cost, whoever asks for them how often. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Target } from '../../src/core/links/link.js'
import type { Block } from '../../src/core/sites/site.js'
import type { SitePage } from '../../src/edges/http/site-page.js'
import { RenderedSitePages, type SitePagesDeps } from '../../src/edges/site-pages/site-pages.js'
import { aBlock, aDocument } from './publish.js'

const roomy = { pages: 2 ** 24, pictures: 2 ** 24 }
const at = Date.UTC(2026, 5, 1)

function targetOf(address: string, site?: string): Target {
  const rules = site === undefined ? undefined : { site, deeplinks: [], routing: [] }
  const absent = { linkId: undefined, groupGuid: undefined, deletedAt: undefined }
  return { ...absent, address, longUrl: `https://example.com/${address}`, createdAt: 0, rules } as Target
}

/** Sites with 30 links each. */
function pagesOf(png: SitePagesDeps['pictures']['png'], most = roomy, last: Partial<Block> = {}) {
  const seen = { rendered: 0, asking: 0, mostAsking: 0 }
  const store = { isAway: false, now: at }
  const links = Array.from({ length: 30 }, (_, number) => `localhost/${number}`)
  const blocks = links.map((linkId) => aBlock('shortlink', { linkId, title: `To ${linkId}` }))
  blocks.push(aBlock('text_block', { text: 'For a while' }, last))
  const known = new Map<string, Target>()
  const deps: SitePagesDeps = {
    redirectCache: {
      peek: (address) => known.get(address),
      async load(address) {
        seen.mostAsking = Math.max(seen.mostAsking, ++seen.asking)
        await new Promise(setImmediate)
        seen.asking--
        const target = targetOf(address)
        known.set(address, target)
        return target
      },
    },
    sites: {
      async live(guid) {
        if (store.isAway) throw new Error('the database is away')
        seen.rendered++
        const document = aDocument({ displayName: `Page ${guid}` }, blocks)
        const address = `localhost/m/${guid}`
        return { guid, groupGuid: 'B', document, linkId: `localhost/h${guid}`, address, forwarded: [], publishedAt: 1 }
      },
    },
    images: { find: async () => undefined },
    domains: { urlOf: (address) => `http://${address}` },
    clock: { now: () => store.now },
    config: { baseUrl: 'http://localhost' },
    logos: { of: async () => undefined },
    pictures: { png },
  }
  return { pages: new RenderedSitePages(deps, most), seen, store }
}

const asked = (query: string) => ({ query, ifNoneMatch: undefined, acceptEncoding: undefined })
const preview = async (page: SitePage | null) => page?.(asked('?preview=x'))

describe('pages in memory', () => {
  it('are bounded by their size in all, and rendered again once they had to go', async () => {
    const png = async () => new Uint8Array()
    const targets = ['1', '2', '3', '4'].map((guid) => targetOf(`localhost/m/${guid}`, guid))
    const keptOf = async (most: typeof roomy) => {
      const { pages, seen } = pagesOf(png, most)
      for (const target of targets) await pages.load(target)
      const kept = targets.filter((target) => pages.peek(target, at)).map(({ rules }) => rules?.site)
      return { pages, seen, kept }
    }
    expect((await keptOf(roomy)).kept).toEqual(['1', '2', '3', '4'])
    // Each has some 30 kB with its links.
    const { pages, seen, kept } = await keptOf({ ...roomy, pages: 80_000 })
    expect(kept.length).toBeLessThan(4)
    expect(kept.at(-1)).toBe('4')
    const [first] = targets
    const again = await (first && pages.load(first))
    expect(String((await again?.(asked('')))?.body)).toContain('Page 1')
    expect(seen.rendered).toBe(5)
  })

  it('ask for few links at a time', async () => {
    const { pages, seen } = pagesOf(async () => new Uint8Array())
    const page = await pages.load(targetOf('localhost/m/1', '1'))
    expect(String((await page?.(asked('')))?.body)).toContain('To localhost/29')
    expect(seen.mostAsking).toBe(8)
  })

  it('stay as they were while the database is away, until their schedule changes them', async () => {
    const end = at + 10 * 60_000
    const { pages, seen, store } = pagesOf(async () => new Uint8Array(), roomy, { scheduleEnd: end })
    const target = targetOf('localhost/m/1', '1')
    const page = await pages.load(target)
    store.isAway = true
    store.now = at + 5 * 60_000
    expect(pages.peek(target, store.now)).toBeUndefined()
    expect(await pages.load(target)).toBe(page)
    expect(pages.peek(target, store.now)).toBe(page)
    await expect(pages.load(targetOf('localhost/m/2', '2'))).rejects.toThrow('away')
    store.now = end
    expect(pages.peek(target, store.now)).toBeUndefined()
    await expect(pages.load(target)).rejects.toThrow('away')
    store.isAway = false
    expect(await pages.load(target)).not.toBe(page)
    expect(seen.rendered).toBe(2)
  })
})

describe('pictures for messengers', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  it('are drawn once, for all who ask at the same time and later', async () => {
    const png = vi.fn(async () => new Uint8Array([1, 2, 3]))
    const { pages } = pagesOf(png)
    const target = targetOf('localhost/m/1', '1')
    const page = await pages.load(target)
    const answers = await Promise.all([preview(page), preview(page)])
    answers.push(await preview(page), await preview(await pages.load(target)))
    expect(answers.map((answer) => [answer?.status, answer?.body?.length])).toEqual(Array(4).fill([200, 3]))
    expect(png).toHaveBeenCalledTimes(1)
  })

  it('are tried again a moment after a failure, and not before', async () => {
    const png = vi.fn<SitePagesDeps['pictures']['png']>().mockRejectedValueOnce(new Error('no memory'))
    png.mockResolvedValue(new Uint8Array([1]))
    const { pages } = pagesOf(png)
    const page = await pages.load(targetOf('localhost/m/1', '1'))
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    for (let times = 0; times < 3; times++) await expect(preview(page)).rejects.toThrow('no memory')
    expect(png).toHaveBeenCalledTimes(1)
    vi.advanceTimersByTime(2000)
    expect((await preview(page))?.status).toBe(200)
  })

  it('are refused while many are drawn', async () => {
    const png = vi.fn(() => new Promise<Uint8Array>(() => {}))
    const { pages } = pagesOf(png)
    const loaded = await Promise.all(
      Array.from({ length: 9 }, (_, number) => pages.load(targetOf(`localhost/m/${number}`, `${number}`))),
    )
    for (const page of loaded.slice(0, 8)) void preview(page)
    await expect(preview(loaded[8] ?? null)).rejects.toMatchObject({ code: 'TEMPORARILY_UNAVAILABLE' })
    expect(png).toHaveBeenCalledTimes(8)
  })
})
