import { describe, expect, it } from 'vitest'
import { dropPlace, moved, type Placed, placeOf, type Row, stepped, treeOf } from './order.js'

/** `a (b c) d`: a and d on the page, b and c in the container G. */
const page = blocks('a G[bc] d')

describe('the order of blocks', () => {
  it('is a tree of containers', () => {
    expect(treeOf(page).map(({ block, blocks: own }) => [block.block_id, own.map(({ block_id }) => block_id)])).toEqual(
      [
        ['a', []],
        ['G', ['b', 'c']],
        ['d', []],
      ],
    )
    expect(placeOf(page, 'c')).toEqual({ container: 'G', index: 1, count: 2 })
  })

  it.each([
    ['d', undefined, 0, 'd a G[bc]'],
    ['a', undefined, 2, 'G[bc] d a'],
    ['a', 'G', 1, 'G[bac] d'],
    ['b', undefined, 0, 'b a G[c] d'],
    ['c', 'G', 0, 'a G[cb] d'],
    ['G', undefined, 0, 'G[bc] a d'],
    // No container is inside of another one.
    ['G', 'G', 0, 'a G[bc] d'],
  ])('%s goes to %s at %i', (id, container, index, expected) => {
    expect(text(moved(page, id, { container, index }))).toBe(expected)
  })

  it.each([
    ['a', [1, 1, 1, 1], ['G[abc] d', 'G[bac] d', 'G[bca] d', 'G[bc] a d']],
    ['d', [-1, -1, -1, -1], ['a G[bcd]', 'a G[bdc]', 'a G[dbc]', 'a d G[bc]']],
    ['G', [1, -1, -1], ['a d G[bc]', 'a G[bc] d', 'G[bc] a d']],
  ] as const)('%s goes step by step through the page', (id, steps, expected) => {
    let now: readonly Placed[] = page
    const seen = steps.map((step) => {
      now = moved(now, id, stepped(now, id, step) ?? { container: undefined, index: -1 })
      return text(now)
    })
    expect(seen).toEqual(expected)
  })

  it('ends at the ends of the page', () => {
    expect(stepped(page, 'a', -1)).toBeUndefined()
    expect(stepped(page, 'd', 1)).toBeUndefined()
  })

  it('goes past containers with what these do not contain', () => {
    const texts = page.map((block) => (block.block_id === 'a' ? { ...block, type: 'text_block' } : block))
    expect(text(moved(texts, 'a', stepped(texts, 'a', 1) ?? { container: undefined, index: 0 }))).toBe('G[bc] a d')
    expect(text(moved(texts, 'a', { container: 'G', index: 0 }))).toBe(text(page))
  })

  it('comes back with as many steps the other way', () => {
    const down = moved(page, 'a', stepped(page, 'a', 1) ?? { container: undefined, index: 0 })
    expect(text(moved(down, 'a', stepped(down, 'a', -1) ?? { container: undefined, index: 9 }))).toBe(text(page))
  })
})

describe('a dragged block', () => {
  // Rows of 40 pixels; the container is 40 pixels and its two rows.
  const rows: readonly Row[] = [
    row('a', undefined, 0, 40),
    { ...row('G', undefined, 40, 160), type: 'grid', head: 80 },
    row('b', 'G', 80, 120),
    row('c', 'G', 120, 160),
    row('d', undefined, 160, 200),
  ]
  it.each([
    ['d', 5, undefined, 0],
    ['d', 45, undefined, 1],
    ['d', 75, 'G', 0],
    ['d', 105, 'G', 1],
    ['d', 155, 'G', 2],
    ['a', 195, undefined, 2],
    ['b', 150, 'G', 1],
    ['G', 30, undefined, 1],
    ['G', 195, undefined, 2],
  ])('%s at %i px is dropped in %s at %i', (id, y, container, index) => {
    expect(dropPlace(rows, id, y)).toEqual({ container, index })
  })

  function row(id: string, container: string | undefined, top: number, bottom: number): Row {
    return { id, container, type: 'shortlink', top, bottom, head: bottom }
  }
})

function blocks(written: string): readonly Placed[] {
  return written.split(' ').flatMap((word): Placed[] => {
    const [id = '', inner = ''] = word.split(/[[\]]/)
    const own = [...inner].map((block_id) => ({ block_id, type: 'shortlink', container_id: id }))
    return [{ block_id: id, type: own.length > 0 ? 'grid' : 'shortlink' }, ...own]
  })
}

function text(all: readonly Placed[]): string {
  return treeOf(all)
    .map(({ block, blocks: own }) =>
      block.type === 'grid' ? `${block.block_id}[${own.map(({ block_id }) => block_id).join('')}]` : block.block_id,
    )
    .join(' ')
}
