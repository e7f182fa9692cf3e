import { describe, expect, it } from 'vitest'
import { type ClickParts, importClicksOf } from './import-clicks.js'
import type { LinkAddresses } from './import-links.js'
import type { ClickMark } from './import-store.js'
import type { ImportedClick, LinkSource } from './imported-link.js'

/** Clicks that were counted, and marks that are stored: what a crash leaves. */
class World {
  readonly counted: { link: string; at: string; count?: number }[] = []
  readonly marks = new Map<string, ClickMark>()
  readonly noted = new Map<string, ClickMark>()
  readonly files = new Map<string, string[]>()
  readonly seen = new Set<string>()
  begun: string | undefined

  async run(clicks: readonly ImportedClick[], clicksByLink = false, crash?: 'counted' | 'noted'): Promise<unknown> {
    const source = {
      name: 'test',
      clicksByLink,
      copy: JSON.stringify(clicks),
      clicks: async function* () {
        yield* clicks
      },
    } as Partial<LinkSource> as LinkSource
    const addresses = { of: ({ backHalf }: ImportedClick) => `go/${backHalf}` } as unknown as LinkAddresses
    const { counted, marks, noted, files, seen } = this
    const parts: ClickParts = {
      left: async () => [...files.keys()],
      async create() {
        const lines: string[] = []
        return {
          add: (line) => void lines.push(line),
          async finish() {
            files.set('part', lines)
            return 'part'
          },
          async discard() {},
        }
      },
      async *lines(file) {
        yield* files.get(file) ?? []
      },
      remove: async (file) => void files.delete(file),
      folder: 'imports/test',
      begun: async () => this.begun,
      begin: async (copy) => {
        this.begun = copy
      },
      end: async () => {
        this.begun = undefined
      },
    }
    const deps = {
      parts,
      domains: { shown: (address: string) => address as never },
      targets: { importTargets: async (all: readonly string[]) => new Map(all.map((each) => [each, {} as never])) },
      linkImports: {
        clickMarks: async () => new Map(marks),
        async noteClicks(_: string, more: ReadonlyMap<string, ClickMark>) {
          for (const [address, mark] of more) noted.set(address, mark)
          if (crash === 'noted') throw new Error('crash')
        },
        async settleClicks() {
          for (const [address, mark] of noted) marks.set(address, mark)
        },
      },
      // A file with the same content is counted once.
      async count(file: string) {
        const lines = files.get(file) ?? []
        const isNew = !seen.has(lines.join('\n'))
        seen.add(lines.join('\n'))
        if (isNew) counted.push(...lines.map((line) => JSON.parse(line)))
        if (crash === 'counted') throw new Error('crash')
        return { imported: isNew ? lines.length : 0, rejected: 0 }
      },
    }
    return importClicksOf(deps, source, addresses, { now: 1e15 })
  }

  get total(): number {
    return this.counted.reduce((sum, { count = 1 }) => sum + count, 0)
  }
}

const click = (backHalf: string, at: number, count?: number): ImportedClick => ({
  domain: undefined,
  backHalf,
  at,
  count,
})

describe('clicks of another product', () => {
  const first = [click('a', 1_000), click('b', 1_000), click('a', 2_000), click('a', 2_000)]

  it('count once, and later ones are added', async () => {
    const world = new World()
    expect(await world.run(first)).toMatchObject({ imported: 4, before: 0, ended: true })
    expect(await world.run(first)).toMatchObject({ imported: 0, before: 4 })
    // One more in the same second, and one of another address that is older than the last click.
    const later = [...first, click('a', 2_000), click('c', 500), click('b', 3_000)]
    expect(await world.run(later)).toMatchObject({ imported: 3, before: 4 })
    expect(world.total).toBe(7)
  })

  it('of the future are not counted, and told apart from those of unknown links', async () => {
    const world = new World()
    const counts = await world.run([click('a', 1_000), click('a', 1e15 + 1, 7)])
    expect(counts).toMatchObject({ imported: 1, unknown: 0, future: 7 })
  })

  it('of a day that is not over grow by the difference', async () => {
    const world = new World()
    await world.run([click('a', 86_400_000, 5), click('a', 172_800_000, 3)])
    expect(await world.run([click('a', 86_400_000, 5), click('a', 172_800_000, 7)])).toMatchObject({ before: 8 })
    expect(world.counted.at(-1)).toMatchObject({ count: 4 })
    expect(world.total).toBe(12)
  })

  it.each([
    ['counted', false],
    ['counted', true],
    ['noted', false],
    ['noted', true],
  ] as const)('count once when the process died after they were %s (by link: %s)', async (crash, byLink) => {
    const world = new World()
    const ordered = byLink ? first.toSorted((one, other) => (one.backHalf < other.backHalf ? -1 : 1)) : first
    await expect(world.run(ordered, byLink, crash)).rejects.toThrow('crash')
    // An API has more clicks by now; a file has not changed.
    const now = byLink ? [...ordered, click('b', 9_000)] : ordered
    await world.run(now, byLink)
    expect(world.total).toBe(now.length)
    expect(await world.run(now, byLink)).toMatchObject({ imported: 0, before: now.length })
  })

  it('of another copy are refused until the interrupted one is finished, if clicks of links are mixed', async () => {
    const world = new World()
    await expect(world.run(first, false, 'counted')).rejects.toThrow('crash')
    // Its beginning differs, so the part that was counted would not be recognised.
    const newer = [click('new', 500), ...first, click('b', 3_000)]
    await expect(world.run(newer)).rejects.toThrow(/another copy was interrupted.*delete imports\/test/)
    await world.run(first)
    expect(await world.run(newer)).toMatchObject({ imported: 2, before: 4 })
    expect(world.total).toBe(6)
  })

  it('have only fields that the import of clicks accepts', async () => {
    const world = new World()
    const strange = { ip: 'unknown', country: 'Germany', city: 'a\u0000b', referrer: `https://${'x'.repeat(9_000)}` }
    await world.run([{ ...click('a', 1_000), ...strange, region: '' }])
    const [line] = world.counted
    expect(Object.keys(line ?? {})).toEqual(['link', 'at', 'city', 'referrer', 'address', 'upTo'])
    expect(line).toMatchObject({ city: 'a b', at: '1970-01-01T00:00:01.000Z' })
  })
})
