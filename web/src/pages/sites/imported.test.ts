import { describe, expect, it } from 'vitest'
import { channelName, channelOf } from './channels.js'
import { maxItems, readPage } from './imported.js'

const noHtml = () => {
  throw new Error('no HTML')
}
const read = (text: string) => readPage(text, noHtml)

describe('a page that was made elsewhere', () => {
  it('is read from the data of a Linktree page', () => {
    const account = {
      pageTitle: 'Ada',
      description: 'Writes <b>programs</b>',
      links: [
        { title: 'Shop', url: 'https://shop.example.com', type: 'CLASSIC' },
        { title: 'My videos', url: null, type: 'HEADER' },
        { title: 'Again', url: 'https://shop.example.com' },
        { title: 'Bad', url: 'javascript:alert(1)' },
        { title: 'Nothing', url: '' },
      ],
      socialLinks: [{ type: 'INSTAGRAM', url: 'https://www.instagram.com/ada' }],
    }
    expect(read(JSON.stringify({ props: { pageProps: { account } } }))).toEqual({
      name: 'Ada',
      description: 'Writes  programs',
      items: [
        { type: 'shortlink', title: 'Shop', url: 'https://shop.example.com' },
        { type: 'text_block', title: 'My videos', url: '' },
        { type: 'shortlink', title: 'Again', url: 'https://shop.example.com', problem: 'twice' },
        { type: 'shortlink', title: 'Bad', url: 'javascript:alert(1)', problem: 'not-safe' },
        { type: 'shortlink', title: 'Nothing', url: '', problem: 'no-url' },
        { type: 'social', title: '', url: 'https://www.instagram.com/ada', channel: 'instagram' },
      ],
    })
  })

  it('has texts as the service takes them', () => {
    const emoji = '\u{1f600}'
    const links = [{ title: `Shop\r\n${emoji.repeat(300)}`, url: 'https://shop.example.com' }]
    const description = `One\r\nTwo\u0007\ud83d\r${emoji.repeat(2000)}`
    const found = read(JSON.stringify({ name: `Ada\n${emoji.repeat(300)}`, description, links }))
    expect(found).toEqual({
      name: `Ada ${emoji.repeat(251)}`,
      description: `One\nTwo\n${emoji.repeat(1992)}`,
      items: [{ type: 'shortlink', title: `Shop ${emoji.repeat(250)}`, url: 'https://shop.example.com' }],
    })
  })

  it('is read from an export of LinkStack', () => {
    const exported = {
      name: 'Ada Lovelace',
      littlelink_description: 'Hello',
      links: [
        { id: 1, title: 'Blog', link: 'example.com/blog', button_id: 1 },
        { id: 2, title: 'Write', link: 'mailto:ada@example.com', button_id: 2 },
        { id: 3, title: 'Links', link: null, button_id: 'heading' },
      ],
    }
    expect(read(JSON.stringify(exported))).toEqual({
      name: 'Ada Lovelace',
      description: 'Hello',
      items: [
        { type: 'shortlink', title: 'Blog', url: 'https://example.com/blog' },
        { type: 'shortlink', title: 'Write', url: 'mailto:ada@example.com' },
        { type: 'text_block', title: 'Links', url: '' },
      ],
    })
    expect(read(JSON.stringify([{ title: 'One', url: 'https://example.com' }]))?.items).toHaveLength(1)
  })

  it.each([
    ['title,url\nShop,https://example.com/a\nBlog,example.com/b', ['Shop', 'Blog']],
    ['URL;Clicks;Title\nhttps://example.com/a;5;Shop', ['Shop']],
    ['https://example.com/a,Shop\nhttps://example.com/b,"Blog, new"', ['Shop', 'Blog, new']],
    ['Shop,https://example.com/a', ['Shop']],
  ])('is read from CSV: %s', (text, titles) => {
    expect(read(text)?.items.map(({ title, problem }) => [title, problem])).toEqual(
      titles.map((title) => [title, undefined]),
    )
  })

  it.each(['', '{}', 'a text', '[]', '{"links":5}', 'null', '"\n'])('is not in %s', (text) => {
    expect(read(text)).toBeUndefined()
  })

  it('is read up to a number of links', () => {
    const links = Array.from({ length: 500 }, (_, at) => ({ title: `${at}`, url: `https://example.com/${at}` }))
    expect(read(JSON.stringify(links))?.items).toHaveLength(maxItems)
  })
})

describe('a channel', () => {
  it.each([
    ['https://www.youtube.com/@ada', 'youtube', 'YouTube'],
    ['https://music.apple.com/ada', 'apple_music', 'Apple Music'],
    ['https://notx.com/', 'website', 'Website'],
    ['mailto:ada@example.com', 'email', 'Email'],
    ['no url', 'website', 'Website'],
  ])('of %s is %s', (url, channel, name) => {
    expect(channelOf(url)).toBe(channel)
    expect(channelName(channel)).toBe(name)
  })
})
