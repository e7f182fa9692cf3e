import { expect, it } from 'vitest'
import { type FetchedTitle, Titles } from './titles.js'

it('writes the titles it finds', async () => {
  const { titles, written, settled } = started(async (url) => ({ title: `title of ${url}` }))
  titles.enqueue(aLink('a'))
  await settled()
  expect(written).toEqual(['sho.rt/a: title of https://example.com/a'])
  expect(titles.counts.fetched).toBe(1)
})

it('leaves links with a title alone, also an empty one, but not the icons of their sites', async () => {
  const { titles, asked, sites, settled } = started(async () => ({ title: 'x' }))
  titles.enqueue({ ...aLink('a'), title: 'own' })
  titles.enqueue({ ...aLink('b'), title: '' })
  await settled()
  expect(asked).toEqual([])
  expect(sites).toEqual(['https://example.com/a', 'https://example.com/b'])
})

it('fetches nothing when it is switched off', async () => {
  const { titles, asked, sites, settled } = started(async () => ({ title: 'x' }), { enabled: false })
  titles.enqueue(aLink('a'))
  await settled()
  expect([...asked, ...sites]).toEqual([])
})

it.each(['refused', 'unsuitable', 'failed'] as const)('counts pages whose title is %s', async (none) => {
  const { titles, written, settled } = started(async () => ({ none }))
  titles.enqueue(aLink('a'))
  await settled()
  expect(titles.counts[none]).toBe(1)
  expect(written).toEqual([])
})

it('counts titles that came too late', async () => {
  const { titles, settled } = started(async () => ({ title: 'late' }), { fill: async () => false })
  titles.enqueue(aLink('a'))
  await settled()
  expect(titles.counts).toMatchObject({ fetched: 0, overtaken: 1 })
})

it('fetches few at once, in order, and drops what does not fit', async () => {
  const pages = held()
  const { titles, asked, settled } = started(pages.title, { atOnce: 2, waiting: 2 })
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) titles.enqueue(aLink(name))
  expect(asked).toEqual(['https://example.com/a', 'https://example.com/b'])
  expect(titles.counts.dropped).toBe(2)
  pages.release()
  await settled()
  expect(asked.map((url) => url.at(-1))).toEqual(['a', 'b', 'c', 'd'])
  expect(titles.counts.fetched).toBe(4)
})

it('tells of a store that fails, and goes on', async () => {
  const failures: unknown[] = []
  const fill = async (id: string) => {
    if (id.endsWith('a')) throw new Error('store away')
    return true
  }
  const { titles, settled } = started(async () => ({ title: 'x' }), { fill, failures })
  titles.enqueue(aLink('a'))
  titles.enqueue(aLink('b'))
  await settled()
  expect(failures).toEqual([new Error('store away')])
  expect(titles.counts.fetched).toBe(1)
})

it('stops what is under way when it is closed, without a complaint, and takes no more', async () => {
  const failures: unknown[] = []
  const untilStopped = (_: string, signal: AbortSignal) =>
    new Promise<FetchedTitle>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('stopped')))
    })
  const { titles, asked } = started(untilStopped, { atOnce: 1, failures })
  titles.enqueue(aLink('a'))
  titles.enqueue(aLink('b'))
  await titles.close()
  titles.enqueue(aLink('c'))
  expect(asked).toEqual(['https://example.com/a'])
  expect(failures).toEqual([])
})

interface Setting {
  readonly enabled?: boolean
  readonly atOnce?: number
  readonly waiting?: number
  readonly failures?: unknown[]
  readonly fill?: (linkId: string) => Promise<boolean>
}

function started(title: (url: string, signal: AbortSignal) => Promise<FetchedTitle>, setting: Setting = {}) {
  const { enabled = true, failures = [], fill = async () => true, atOnce = 4, waiting = 10 } = setting
  const asked: string[] = []
  const written: string[] = []
  const sites: string[] = []
  const titles = new Titles(
    {
      pages: {
        title: (url, signal) => {
          asked.push(url)
          return title(url, signal)
        },
      },
      icons: { enqueue: (longUrl) => sites.push(longUrl) },
      links: {
        fillTitle: async (linkId, _longUrl, text) => {
          const filled = await fill(linkId)
          if (filled) written.push(`${linkId}: ${text}`)
          return filled
        },
      },
      onFailure: (error) => failures.push(error),
    },
    { enabled, atOnce, waiting },
  )
  // Everything here is promises that are settled already, so a turn of the event loop runs all of it.
  return { titles, asked, written, sites, settled: () => new Promise((done) => setImmediate(done)) }
}

/** Pages that are answered when the test says so. */
function held() {
  let release = () => {}
  const gate = new Promise<void>((open) => {
    release = open
  })
  return {
    release: () => release(),
    title: async (): Promise<FetchedTitle> => {
      await gate
      return { title: 'x' }
    },
  }
}

function aLink(name: string) {
  return { id: `sho.rt/${name}`, longUrl: `https://example.com/${name}`, title: undefined }
}
