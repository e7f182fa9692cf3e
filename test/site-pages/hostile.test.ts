import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Block } from '../../src/core/sites/site.js'
import { useBrowser } from '../dashboard/dashboard-page.js'
import { browserTitle, chromium } from '../support/browser.js'
import { useApp } from '../support/start-app.js'
import { aBlock, aDocument, publishSite } from './publish.js'
import { makeThings, type Things } from './samples.js'

const markup = [
  '<script>window.hit=1</script>',
  '"><img src=x onerror="window.hit=1">',
  "' onmouseover='window.hit=1",
  '</title></style></script><svg onload="window.hit=1">',
  '&lt;script&gt;window.hit=1&lt;/script&gt;',
  '<!-- ]]> --> {{window.hit=1}} $',
]
const urls = [
  'javascript:window.hit=1',
  ' JaVaScRiPt:window.hit=1',
  'java\nscript:window.hit=1',
  'data:text/html,<script>window.hit=1</script>',
  'vbscript:hit',
  '//evil.example/',
  'https://evil.example/" onclick="window.hit=1',
]
const styles = [
  'red;}body{display:none}',
  '#fff}</style><script>window.hit=1</script>',
  'url(https://evil.example/x)',
  'expression(hit)',
  '#fffffff',
]

/** Documents are stored as they are here, as if nothing had read their fields before. */
describe.skipIf(!chromium)(`a hostile page, ${browserTitle}`, () => {
  const started = useApp()
  const browser = useBrowser()
  let page: Page
  let things: Things
  const asked: string[] = []
  const problems: string[] = []
  beforeAll(async () => {
    things = await makeThings(started)
    page = await (await browser.newContext()).newPage()
    page.on('request', (request) => asked.push(request.url()))
    page.on('console', (message) => problems.push(message.text()))
    page.on('dialog', (dialog) => void dialog.dismiss())
  })

  it('is harmless, with markup in every text, other schemes in every URL and styles in every color', {
    timeout: 120_000,
  }, async () => {
    for (const [at, url] of urls.entries()) {
      const text = markup[at % markup.length] ?? ''
      const style = styles[at % styles.length] ?? ''
      const { path } = await publishSite(started, hostile(text, url, style, things))
      asked.length = 0
      problems.length = 0
      await page.goto(started.url.replace('127.0.0.1', 'localhost') + path)
      await page.mouse.move(100, 100)
      const found = await page.evaluate<{
        hit: unknown
        scripts: number
        handlers: number
        links: string[]
        shown: string
      }>(look)
      expect(found).toMatchObject({ hit: undefined, scripts: 0, handlers: 0 })
      // The text is there, as a text.
      expect(found.shown).toContain(text.replaceAll(/\s+/g, ' ').trim())
      const schemes = new Set(found.links.map((link) => new URL(link).protocol))
      expect([...schemes].filter((scheme) => !['http:', 'https:', 'mailto:', 'tel:'].includes(scheme))).toEqual([])
      const { origin } = new URL(page.url())
      expect(asked.filter((request) => new URL(request).origin !== origin)).toEqual([])
      // Nothing was even tried that the policy had to stop.
      expect(problems).toEqual([])
    }
  })
})

function hostile(text: string, url: string, style: string, { links, images }: Things) {
  const container = aBlock('carousel', { title: text, description: text })
  const colors = { backgroundColor: style, textColor: style }
  const blocks: Block[] = [
    aBlock('shortlink', { linkId: links[0], title: text, description: text }),
    aBlock('shortlink', { url, title: text }),
    aBlock('social', { channel: text, url: 'https://social.example/' }),
    aBlock('social', { channel: 'x', url }),
    aBlock('youtubeVideo', { videoId: text, linkId: links[1] ?? '', title: text, description: text }),
    aBlock('image', { imageGuid: images[0] ?? '', title: text, aspectRatio: style }),
    aBlock('text_block', { text }, { appearance: { ...colors, alignment: 'left' } }),
    aBlock('digital_business_card', {
      layout: 'card',
      firstName: text,
      lastName: text,
      company: text,
      jobTitle: text,
      pronouns: text,
      isDownloadable: true,
      contacts: [
        { method: 'website', label: 'homepage', value: url },
        { method: 'email', label: 'work', value: text },
        { method: 'phone', label: 'work', value: text },
        { method: 'location', label: 'work', value: text },
        { method: 'note', label: 'no_label', value: text },
      ],
    }),
    container,
    aBlock('shortlink', { linkId: links[2], title: text }, { containerId: container.id }),
  ]
  const all = {
    stylePreference: 'custom',
    backgroundPreference: 'gradient',
    ...colors,
    bottomBackgroundColor: style,
  } as const
  const appearance = {
    ...all,
    descriptionColor: style,
    buttonBackgroundColor: style,
    buttonTextColor: style,
    socialIconColor: style,
  }
  const header = { bannerType: 'hero', stylePreference: 'custom', backgroundColor: style } as const
  return aDocument({ displayName: text, description: text }, blocks, appearance, header)
}

/** Runs in the page. */
const look = `({
  hit: window.hit,
  scripts: document.querySelectorAll('script, iframe, object, embed, form, base, meta[http-equiv]').length,
  handlers: [...document.querySelectorAll('*')].flatMap(({ attributes }) => [...attributes])
    .filter(({ name }) => name.startsWith('on') || name === 'style').length,
  links: [...document.querySelectorAll('a[href], link[href]')].map(({ href }) => href),
  shown: document.querySelector('h1').textContent.replaceAll(/\\s+/g, ' ').trim(),
})`
