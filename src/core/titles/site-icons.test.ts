import { expect, it } from 'vitest'
import type { ImageEncoder } from '../images/image-encoder.js'
import type { SiteIcon, SiteIconStore } from './site-icon-store.js'
import { SiteIcons } from './site-icons.js'

const day = 86_400_000
const png = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')

it('asks a site once for all its links, and again when its icon is thirty days old', async () => {
  const { icons, asked, stored, wait, settled } = started(async function* () {
    yield png
  })
  icons.enqueue('https://example.com/a')
  icons.enqueue('https://example.com/b')
  icons.enqueue('https://example.com:8443/')
  await settled()
  expect(asked).toEqual(['https://example.com', 'https://example.com:8443'])
  expect([...stored.keys()]).toEqual(['example.com', 'example.com:8443'])
  for (const days of [29, 1]) {
    wait(days * day)
    icons.enqueue('http://example.com/c')
    await settled()
  }
  expect(asked.slice(2)).toEqual(['http://example.com'])
})

it('asks a site without an icon again after a day', async () => {
  const { icons, asked, wait, settled } = started(async function* () {
    yield Buffer.from('no picture')
  })
  for (const hours of [0, 23, 1]) {
    wait(hours * 3_600_000)
    icons.enqueue('https://example.com/')
    await settled()
  }
  expect(asked).toHaveLength(2)
})

it('takes the first picture that can be drawn', async () => {
  const broken = Buffer.concat([png, Buffer.from('broken')])
  const { icons, stored, settled } = started(async function* () {
    yield* [Buffer.from('no picture'), broken, png]
    throw new Error('one picture too many')
  })
  icons.enqueue('https://example.com/')
  await settled()
  expect(stored.get('example.com')?.image).toBe(`data:image/png;base64,${png.toString('base64')}`)
})

it('ignores destinations that are not on the web', async () => {
  const { icons, asked, settled } = started(async function* () {})
  for (const url of ['mailto:ada@example.com', 'app://open/', 'nothing']) icons.enqueue(url)
  await settled()
  expect(asked).toEqual([])
})

it('tells of failures, and is silent when it is closed', async () => {
  const { icons, asked, failures, settled } = started(async function* (origin, signal) {
    if (origin.endsWith('away')) throw new Error('store away')
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))))
    yield png
  })
  icons.enqueue('https://away/')
  await settled()
  expect(failures).toEqual([new Error('store away')])
  icons.enqueue('https://example.com/')
  await settled()
  icons.close()
  icons.enqueue('https://example.org/')
  await settled()
  expect(asked).toEqual(['https://away', 'https://example.com'])
  expect(failures).toHaveLength(1)
})

function started(pictures: (origin: string, signal: AbortSignal) => AsyncIterable<Uint8Array>) {
  let now = 0
  const asked: string[] = []
  const failures: unknown[] = []
  const stored = new Map<string, SiteIcon>()
  const siteIcons: SiteIconStore = {
    find: async (hosts) => hosts.flatMap((host) => stored.get(host) ?? []),
    save: async (icon) => void stored.set(icon.host, icon),
  }
  const draw = async (bytes: Uint8Array) =>
    bytes.length === png.length ? { bytes, width: 48, height: 48 } : ({ fault: 'broken' } as const)
  const imageEncoder: ImageEncoder = { encode: draw, draw }
  const icons = new SiteIcons({
    pages: {
      icons: (origin, signal) => {
        asked.push(origin)
        return pictures(origin, signal)
      },
    },
    siteIcons,
    imageEncoder,
    clock: { now: () => now },
    onFailure: (error) => failures.push(error),
  })
  // Everything here is promises that are settled already, so a turn of the event loop runs all of it.
  const settled = () => new Promise((done) => setImmediate(done))
  return { icons, asked, failures, stored, settled, wait: (milliseconds: number) => (now += milliseconds) }
}
