import { describe, expect, it } from 'vitest'
import { changesOf, type Version } from './changes.js'
import type { Block } from './model.js'

describe('what publishing changes', () => {
  it.each([
    ['abcd', 'abcd', []],
    ['abcd', 'bcda', ['moved a']],
    ['abcd', 'dabc', ['moved d']],
    ['abcd', 'abd', ['removed c']],
    ['abc', 'axbc', ['added x']],
    ['abcd', 'dcba', ['moved c', 'moved b', 'moved a']],
    ['abc', 'cx', ['removed a', 'removed b', 'added x']],
  ])('from %s to %s is %j', (before, after, expected) => {
    const { blocks } = changesOf(version(before), version(after))
    expect(blocks.map(({ kind, block }) => `${kind} ${block.block_id}`)).toEqual(expected)
  })

  it('is told once of a block that is changed and moved', () => {
    const draft = version('ba')
    const changed = draft.blocks?.map((each) => (each.block_id === 'b' ? { ...each, is_pinned: true } : each)) ?? []
    const { blocks } = changesOf(version('ab'), { ...draft, blocks: changed })
    expect(blocks.map(({ kind, block }) => `${kind} ${block.block_id}`)).toEqual(['changed b'])
  })

  it('is not what somebody else did to the link behind a block', () => {
    const link = (long_url: string): Version => {
      const [block] = version('a').blocks ?? []
      const link_info = { link: 'https://a.io/x', long_url, is_deleted: false }
      return { ...version(''), blocks: block ? [{ ...block, content: { link_info } }] : [] }
    }
    expect(changesOf(link('https://example.com/a'), link('https://example.com/b')).blocks).toEqual([])
  })

  it('is a move into a container', () => {
    const inside = version('ab').blocks?.map((each) => (each.block_id === 'b' ? { ...each, container_id: 'a' } : each))
    const { blocks } = changesOf(version('ab'), { ...version('ab'), blocks: inside ?? [] })
    expect(blocks.map(({ kind, block }) => `${kind} ${block.block_id}`)).toEqual(['moved b'])
  })

  it('is a name, a description and a look', () => {
    const draft = { ...version('a'), content: { display_name: 'Ada', description: '' }, appearance: { theme_id: 2 } }
    expect(changesOf(version('a'), draft)).toMatchObject({ isRenamed: true, isDescribed: false, isRestyled: true })
  })
})

function version(ids: string): Version {
  const blocks = [...ids].map(
    (block_id, sort_order): Block => ({
      site_id: 'M1',
      block_id,
      sort_order,
      type: 'text_block',
      content: { text: block_id },
      is_active: true,
      is_pinned: false,
      is_sample: false,
    }),
  )
  return { content: { display_name: '', description: '' }, appearance: {}, blocks }
}
