import { describe, expect, it } from 'vitest'
import { iconsNamed } from './read-icons.js'

const page = 'https://example.com/'
const named = (html: string) => iconsNamed(html, page).map((url) => url.replace(page, ''))

describe('iconsNamed', () => {
  it.each<readonly [string, string, readonly string[]]>([
    ['an icon', '<link rel="icon" href="/a.png">', ['a.png']],
    ['the older spelling, in capitals and without quotes', "<LINK HREF=a.png REL='shortcut icon'/>", ['a.png']],
    ['the icon of phones', '<link rel="apple-touch-icon-precomposed" href="touch.png">', ['touch.png']],
    ['entities', '<link rel="icon" href="/a?b=1&amp;c=2">', ['a?b=1&c=2']],
    ['another host', '<link rel=icon href=//cdn.example/a.png>', ['https://cdn.example/a.png']],
    ['no style sheet, no mask', '<link rel="stylesheet" href="a.css"><link rel="mask-icon" href="m.svg">', []],
    ['nothing in comments', '<!-- <link rel="icon" href="old.png"> --><link rel=icon href=new.png>', ['new.png']],
    ['nothing in scripts', `<script>'<link rel="icon" href="no.png">'</script><link rel=icon href=a.png>`, ['a.png']],
    ['nothing in the body', '<body><link rel="icon" href="a.png">', []],
    [
      'nothing that is not on the web',
      '<link rel=icon href="data:image/png;base64,AA"><link rel=icon href="c:/a">',
      [],
    ],
    ['nothing from a tag without an end', '<link rel="icon" href="a.png"', []],
  ])('finds %s', (_, html, urls) => {
    expect(named(html)).toEqual(urls)
  })

  it('puts the size first that needs least scaling', () => {
    const sizes = ['16x16', '512x512', '48x48', '192x192'].map((size) => `<link rel=icon sizes=${size} href=${size}>`)
    const others = '<link rel=apple-touch-icon href=touch><link rel=icon type="image/svg+xml" href=svg>'
    expect(named(sizes.join('') + others)).toEqual(['svg', '48x48', '16x16', 'touch', '192x192', '512x512'])
  })

  it.each(['<link ', '<!--', '<script>', '<link rel=icon '])('gets to the end of many of %s', (piece) => {
    // With work that grows with the square of the length this would take longer than a test may.
    expect(named(piece.repeat(500_000))).toEqual([])
  })
})
