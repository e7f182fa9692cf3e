// npm run screenshots: every main page of the dashboard with the data of the demo, on a desktop and on a phone, light and
// dark, as docs/images/dashboard/<page>-<screen>-<scheme>.png (needs Chromium).
import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { readArguments, refuse } from './arguments.mjs'
import { signIn, startBrowser } from './demo/browser.mjs'
import { domains } from './demo/organization.mjs'
import { startDemo } from './demo/start.mjs'

const folder = join(dirname(dirname(fileURLToPath(import.meta.url))), 'docs', 'images', 'dashboard')
const screens = {
  desktop: { viewport: { width: 1440, height: 900 } },
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
}
const schemes = ['light', 'dark']
/** Short links of a real service have no port. */
const origin = 'http://lark.example'
/** By the name of the picture; paths without a slash are below /app/<group>/. */
const pages = {
  home: '',
  links: 'links',
  link: 'links/{subscribe}?range=91d',
  analytics: 'analytics',
  events: 'analytics?view=events',
  campaigns: 'campaigns',
  compare: 'analytics/compare?kind=tags&ids=%5B%22store%22%2C%22journal%22%2C%22gear%22%5D',
  imports: 'links/imports',
  'qr-codes': 'qr-codes',
  studio: 'qr-codes?edit={code}',
  sites: 'sites',
  'sites-analytics': 'analytics/sites',
  site: 'sites/{site}',
  domains: 'domains',
  domain: 'domains/{domain}',
  settings: 'settings',
  members: 'settings?tab=members',
  tags: 'settings?tab=tags',
  audit: 'settings?tab=audit',
  webhooks: 'settings?tab=webhooks',
  webhook: 'settings/webhooks/{warehouse}',
  account: '/app/account',
  reference: '/docs',
}

const usage = 'npm run screenshots [-- PAGE ...]'
const wanted = readArguments(usage, { allowPositionals: true }).positionals
const unknown = wanted.filter((name) => !(name in pages))
if (unknown.length > 0) refuse(usage, `There is no page "${unknown.join('", "')}": ${Object.keys(pages).join(', ')}.`)

mkdirSync(folder, { recursive: true })
const demo = await startDemo({ baseUrl: origin, progress: (step) => console.log(`Making ${step} ...`) })
const browser = await startBrowser({ origin, url: demo.url })
try {
  for (const [screen, options] of Object.entries(screens)) {
    for (const colorScheme of schemes) await takeAll(screen, colorScheme, options)
  }
} finally {
  await browser.close()
  await demo.stop()
}

async function takeAll(screen, colorScheme, options) {
  const page = await signIn(browser, origin, { ...options, colorScheme, reducedMotion: 'reduce' })
  const group = new URL(page.url()).pathname.split('/')[2]
  const { organization_guid } = await read(page, `/v4/groups/${group}`)
  // It is checked when somebody asks.
  await read(page, `/v4/organizations/${organization_guid}/domains/${domains[0].name}`)
  const places = {
    domain: domains[0].name,
    subscribe: await idOf(page, group, 'subscribe'),
    code: (await read(page, `/v4/groups/${group}/qr-codes`)).qr_codes[0].qrcode_id,
    warehouse: (await read(page, `/v4/organizations/${organization_guid}/webhooks`)).webhooks[0].guid,
    site: (await read(page, `/v4/groups/${group}/sites`)).sites.at(-1).site_guid,
  }
  for (const name of wanted.length > 0 ? wanted : Object.keys(pages)) {
    const path = pages[name].replace(/\{(\w+)\}/, (_, place) => places[place])
    await page.goto(origin + (path.startsWith('/') ? path : `/app/${group}/${path}`))
    await page.waitForLoadState('networkidle')
    // Clicks of links are asked for when the list has stopped moving.
    await page.waitForTimeout(1000)
    await page.waitForLoadState('networkidle')
    // On a busy machine something may load still. What is below the picture loads when it is scrolled to.
    await page.waitForFunction(() =>
      [...document.querySelectorAll('.mantine-Skeleton-root')].every(
        (each) => each.getBoundingClientRect().top > innerHeight,
      ),
    )
    const file = join(folder, `${name}-${screen}-${colorScheme}.png`)
    // A palette: the pictures are a third as large and look the same.
    await sharp(await page.screenshot())
      .png({ palette: true, quality: 90 })
      .toFile(file)
    console.log(file)
  }
  await page.context().close()
}

/** `<domain>/<hash>` of the link with this custom back-half. */
async function idOf(page, group, keyword) {
  return (await read(page, `/v4/groups/${group}/shortlinks?query=${keyword}`)).links[0].id
}

function read(page, path) {
  return page.evaluate(async (path) => {
    const { csrf } = await (await fetch('/account/session')).json()
    return (await fetch(path, { headers: { 'x-csrf-token': csrf } })).json()
  }, path)
}
