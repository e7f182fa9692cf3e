import { afterAll, describe, expect, it, vi } from 'vitest'
import type { Block } from './model.js'

// The modules ask for the person's language when they are loaded.
vi.stubGlobal('navigator', { languages: ['en-US'] })
vi.stubGlobal('localStorage', { getItem: () => null })
afterAll(() => vi.unstubAllGlobals())
const { bodyOfDraft, draftOf, emptyBlock, newBlock, newBodyOf, isComplete } = await import('./block-draft.js')

describe('the form of a block', () => {
  it('sends of a new block only what was given', () => {
    expect(newBodyOf('shortlink', { ...emptyBlock, url: 'example.com/shop ', link_title: ' Shop ' })).toEqual({
      content: { url: 'https://example.com/shop', link_title: 'Shop', layout: 'button' },
    })
    expect(newBodyOf('shortlink', { ...emptyBlock, shortlink_id: 'a.io/x', url: 'typed before' }).content).toEqual({
      shortlink_id: 'a.io/x',
      layout: 'button',
    })
    expect(
      newBodyOf('text_block', { ...emptyBlock, text: 'Hi \n', look: { alignment: 'center' }, is_pinned: true }),
    ).toEqual({
      content: { text: 'Hi \n' },
      appearance: { alignment: 'center' },
      is_pinned: true,
    })
    expect(newBlock('digital_business_card').layout).toBe('card')
  })

  it('sends of changes only these, and an empty text for what was removed', () => {
    expect(bodyOfDraft('shortlink', { link_title: '' })).toEqual({ content: { link_title: '' } })
    expect(bodyOfDraft('social', { channel: 'x', url: 'x.com/ada' }).content).toEqual({
      channel: 'x',
      url: 'https://x.com/ada',
    })
    expect(bodyOfDraft('image', { shortlink_id: '', url: 'mailto:a@example.com' }).content).toEqual({
      url: 'mailto:a@example.com',
    })
    expect(bodyOfDraft('text_block', { schedule_end: '' })).toEqual({ schedule_end: '' })
    const body = bodyOfDraft('text_block', { schedule_start: '2026-06-01T10:00', is_active: false })
    expect(body).toEqual({ schedule_start: new Date('2026-06-01T10:00').toISOString(), is_active: false })
  })

  it('orders contacts, and gives websites a scheme', () => {
    const contacts = [
      { contact_method: 'email', value: ' a@example.com', sort_order: 9 },
      { contact_method: 'website', value: 'example.com', sort_order: 9 },
    ] as const
    expect(bodyOfDraft('digital_business_card', { contacts }).content?.contacts).toEqual([
      { contact_method: 'email', value: 'a@example.com', sort_order: 0 },
      { contact_method: 'website', value: 'https://example.com', sort_order: 1 },
    ])
  })

  it.each([
    ['shortlink', { url: 'example.com/a' }, true],
    ['shortlink', { url: 'example' }, false],
    ['shortlink', { url: 'javascript:alert(1)' }, false],
    ['shortlink', { shortlink_id: 'a.io/x' }, true],
    ['shortlink', { url: 'tel:+4930' }, true],
    ['image', {}, false],
    ['youtubeVideo', { video_url: 'https://youtu.be/dQw4w9WgXcQ' }, true],
    ['youtubeVideo', { video_url: 'https://youtu.be/' }, false],
    ['text_block', { text: ' ' }, false],
    ['digital_business_card', { first_name: 'Ada' }, true],
    [
      'digital_business_card',
      { first_name: 'Ada', contacts: [{ contact_method: 'email', value: 'a', sort_order: 0 }] },
      false,
    ],
    ['grid', {}, true],
  ] as const)('of the type %s with %o can be drawn: %s', (type, part, expected) => {
    expect(isComplete(type, { ...emptyBlock, ...part })).toBe(expected)
  })

  it('begins with what the block has', () => {
    const block = {
      type: 'shortlink',
      content: { link_title: 'Shop', shortlink_id: 'a.io/x', link_info: { link: '', is_deleted: false } },
      schedule_end: '2026-06-01T10:00:00+0000',
      is_active: true,
      is_pinned: true,
      is_sample: false,
      site_id: 'M1',
      block_id: 'L1',
      sort_order: 0,
    } satisfies Block
    const draft = draftOf(block)
    expect(draft).toMatchObject({ link_title: 'Shop', shortlink_id: 'a.io/x', url: '', is_pinned: true })
    expect(new Date(draft.schedule_end).toISOString()).toBe('2026-06-01T10:00:00.000Z')
    expect(draft).not.toHaveProperty('link_info')
  })
})
