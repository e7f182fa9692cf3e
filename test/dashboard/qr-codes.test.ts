import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { visit } from '../api/visits.js'
import { browserTitle, chromium } from '../support/browser.js'
import { png } from '../support/pictures.js'
import { useApp } from '../support/start-app.js'
import { clipboard, findingsInBoth, signedInPage, useBrowser } from './dashboard-page.js'

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true }

describe.skipIf(chromium === undefined)(`QR codes ${browserTitle}`, { timeout: 120_000 }, () => {
  const started = useApp()
  const browser = useBrowser()

  const dialog = (page: Page) => page.getByRole('dialog')
  const row = (page: Page, text: string) => page.getByRole('main').getByRole('listitem').filter({ hasText: text })
  const section = (page: Page, name: string) => dialog(page).getByRole('tab', { name }).click()
  const choose = async (page: Page, field: string, option: string) => {
    await dialog(page).getByRole('combobox', { name: field }).click()
    await page.getByRole('option', { name: option, exact: true }).click()
  }
  const drawn = async (page: Page) => {
    const source = await dialog(page).getByAltText('Preview of the QR code').getAttribute('src')
    return Buffer.from(source?.split(',')[1] ?? '', 'base64').toString()
  }

  it('are made, show when they were made and how often they were scanned, and are saved as a picture', async () => {
    const { page, context, problems, open } = await signedInPage(browser, started, { reducedMotion: 'reduce' })
    await open('qr-codes')
    await page.getByText('No QR codes yet').waitFor()
    await page.getByRole('button', { name: 'Create a QR code' }).click()
    await dialog(page).getByAltText('Preview of the QR code').waitFor()
    expect(await findingsInBoth(page)).toEqual([])
    await dialog(page)
      .getByLabel(/^Destination/)
      .fill('example.com/menu')
    await dialog(page).getByLabel('Title').fill('Menu')
    await dialog(page).getByRole('button', { name: 'Create a QR code' }).click()
    await row(page, 'Menu').getByText('0 scans').waitFor()
    const day = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium' }).format(new Date())
    await row(page, 'Menu').getByText(`created ${day}`).waitFor()

    const { body } = await started.request('GET', `/v4/groups/${started.groupGuid}/qr-codes`)
    for (let times = 0; times < 2; times++) {
      await visit(started, body.qr_codes[0].shortlink_id, { agent: 'phone', scan: true })
    }
    await started.clicksCounted()
    await open('qr-codes')
    await row(page, 'Menu').getByText('2 scans').waitFor()
    expect(await findingsInBoth(page)).toEqual([])
    await row(page, 'Menu').getByRole('button', { name: 'Download' }).click()
    const download = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: 'SVG' }).click()
    expect((await download).suggestedFilename()).toBe('Menu.svg')
    expect(problems).toEqual([])
    await context.close()
  })

  it('get a logo, warn of a style that cannot be scanned, and are saved as PDF', async () => {
    const { page, context, problems, open } = await signedInPage(browser, started, { reducedMotion: 'reduce' })
    await open('qr-codes')
    await page.getByRole('button', { name: 'Create a QR code' }).click()
    const preview = dialog(page).getByAltText('Preview of the QR code')
    await preview.waitFor()
    const upload = (name: string, buffer: Buffer) =>
      dialog(page).locator('input[type=file]').setInputFiles({ name, mimeType: 'image/png', buffer })

    await section(page, 'Logo')
    await upload('broken.png', Buffer.from('no picture'))
    await dialog(page)
      .getByRole('alert')
      .getByText(/PNG, JPEG/)
      .waitFor()
    // The browser notes the refusal as an error.
    expect(problems.splice(0)).toHaveLength(1)
    expect(await drawn(page)).not.toContain('<image')
    await upload('tree.png', Buffer.from(await png(64, 64)))
    await dialog(page).getByRole('button', { name: 'tree.png', pressed: true }).waitFor()
    await expect.poll(() => drawn(page)).toContain('<image')
    expect(await dialog(page).getByRole('alert').count()).toBe(0)
    expect(await findingsInBoth(page)).toEqual([])
    await dialog(page).getByRole('button', { name: 'No logo' }).click()
    await expect.poll(() => drawn(page)).not.toContain('<image')
    await dialog(page).getByRole('button', { name: 'tree.png' }).click()
    await expect.poll(() => drawn(page)).toContain('<image')

    await section(page, 'Colours')
    await dialog(page).getByRole('textbox', { name: 'Dots' }).fill('#eeeeee')
    await dialog(page)
      .getByRole('alert')
      .filter({ hasText: /contrast/ })
      .waitFor()
    expect(problems.splice(0)).not.toEqual([])
    await dialog(page).getByRole('textbox', { name: 'Dots' }).fill('#112233')
    await preview.waitFor()

    await dialog(page)
      .getByLabel(/^Destination/)
      .fill('example.com/tree')
    await dialog(page).getByLabel('Title').fill('Tree')
    await dialog(page).getByRole('button', { name: 'Create a QR code' }).click()
    await row(page, 'Tree').getByRole('button', { name: 'Download' }).click()
    const download = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: 'PDF' }).click()
    expect((await download).suggestedFilename()).toBe('Tree.pdf')
    expect((await readFile(await (await download).path())).subarray(0, 4).toString()).toBe('%PDF')
    const images = (await started.request('GET', `/v4/groups/${started.groupGuid}/images`)).body.images
    const codes = (await started.request('GET', `/v4/groups/${started.groupGuid}/qr-codes`)).body.qr_codes
    const { body: code } = await started.request('GET', `/v4/qr-codes/${codes[0].qrcode_id}`)
    expect(code.render_customizations.logo).toEqual({ image_guid: images[0].guid })
    expect(problems).toEqual([])
    await context.close()
  })

  it('get another title, design and destination, and ask before changes are lost', async () => {
    const { page, context, problems, open } = await signedInPage(browser, started, { reducedMotion: 'reduce' })
    const gradient = {
      style: 'linear',
      angle: 90,
      colors: ['#112233', '#331122'].map((color, at) => ({ color, offset: at * 100 })),
    }
    const destination = { long_url: 'https://example.com/before' }
    const { body: code } = await started.request('POST', '/v4/qr-codes', {
      body: { group_guid: started.groupGuid, title: 'Poster', destination, render_customizations: { gradient } },
    })
    const details = async () => (await started.request('GET', `/v4/qr-codes/${code.qrcode_id}`)).body
    await open('qr-codes')
    await row(page, 'Poster').getByRole('button', { name: 'Edit Poster' }).click()
    await page.waitForURL(/edit=Q/)
    const preview = dialog(page).getByAltText('Preview of the QR code')
    await preview.waitFor()
    expect(await dialog(page).getByRole('combobox', { name: 'Gradient of the dots' }).inputValue()).toBe('Linear')
    expect(await findingsInBoth(page)).toEqual([])

    await dialog(page).getByLabel('Title').fill('Poster in the shop')
    await page.keyboard.press('Escape')
    const question = page.getByRole('dialog', { name: 'Discard your changes?' })
    await question.getByRole('button', { name: 'Cancel' }).click()
    await question.waitFor({ state: 'detached' })
    expect(await dialog(page).getByLabel('Title').inputValue()).toBe('Poster in the shop')
    await dialog(page).getByRole('button', { name: 'Cancel' }).click()
    await question.getByRole('button', { name: 'Discard' }).click()
    await dialog(page).waitFor({ state: 'detached' })
    expect((await details()).title).toBe('Poster')

    await page.getByRole('link', { name: 'Poster', exact: true }).click()
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await dialog(page).getByLabel('Title').fill('Poster in the shop')
    await section(page, 'Shapes')
    await choose(page, 'Pattern', 'Hearts')
    await dialog(page)
      .getByLabel(/^Destination/)
      .fill('example.com/after')
    await dialog(page).getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Poster in the shop', level: 1 }).waitFor()
    expect(await details()).toMatchObject({
      title: 'Poster in the shop',
      long_urls: ['https://example.com/after'],
      render_customizations: { dot_pattern_type: 'heart', gradient: { style: 'linear' } },
    })

    await page.getByRole('button', { name: 'Embed' }).click()
    await dialog(page)
      .getByText(/\.png\?size=512$/)
      .waitFor()
    expect(await findingsInBoth(page)).toEqual([])
    const address = await clipboard(page).copiedBy(dialog(page).getByRole('button', { name: 'Copy the address' }))
    expect(address).toBe(`${code.image_url.replace('.svg', '.png')}?size=512`)
    const { pathname, search } = new URL(address)
    const { status, headers } = await started.request('GET', pathname + search, { token: null })
    expect([status, headers['content-type']]).toEqual([200, 'image/png'])
    expect(problems).toEqual([])
    await context.close()
  })

  it('are designed with gradients, corners, a frame and texts, seen at once, and changed back', async () => {
    const { page, context, problems, open } = await signedInPage(browser, started, { reducedMotion: 'reduce' })
    await open('qr-codes')
    await page.getByRole('button', { name: 'Create a QR code' }).click()
    const field = (name: string) => dialog(page).getByRole('textbox', { name, exact: true })
    const color = async (name: string, value: string) => {
      await field(name).fill(value)
      // Closes the picker, which is over the next field.
      await field(name).press('Tab')
    }
    await dialog(page)
      .getByLabel(/^Destination/)
      .fill('example.com/sale')
    await dialog(page).getByLabel('Title').fill('Sale')

    await choose(page, 'Gradient of the dots', 'Linear')
    await expect.poll(() => drawn(page)).toContain('linearGradient')
    const dots = dialog(page).getByRole('group', { name: 'Gradient of the dots' })
    await field('Angle').fill('45')
    await color('Colour 2', '#331122')
    await dots.getByRole('button', { name: 'Add a colour' }).click()
    await color('Colour 3', '#112233')
    await field('Position of colour 2').fill('30')
    await dots.getByRole('checkbox', { name: 'Corners keep their own colour' }).check()
    expect(await findingsInBoth(page)).toEqual([])

    await section(page, 'Shapes')
    await choose(page, 'Corners', 'Rounded')
    await color('Rings of the corners', '#440000')
    await choose(page, 'Error correction', 'Highest')
    expect(await findingsInBoth(page)).toEqual([])

    await section(page, 'Frame')
    await choose(page, 'Frame', 'Texts above and below')
    await field('Text of the frame').fill('Order here')
    await field('Second text of the frame').fill('until Sunday')
    await color('Frame colour', '#440000')
    expect(await findingsInBoth(page)).toEqual([])

    await section(page, 'Texts')
    await field('Text in the middle').fill('Sale')
    await color('Colour in the middle', '#440000')
    expect(await findingsInBoth(page)).toEqual([])
    await dialog(page).getByRole('button', { name: 'Create a QR code' }).click()
    await row(page, 'Sale').waitFor()
    const { body } = await started.request('GET', `/v4/groups/${started.groupGuid}/qr-codes?query=Sale`)
    const design = async () =>
      (await started.request('GET', `/v4/qr-codes/${body.qr_codes[0].qrcode_id}`)).body.render_customizations
    const colors = [
      { color: '#1d222e', offset: 0 },
      { color: '#331122', offset: 30 },
      { color: '#112233', offset: 100 },
    ]
    expect(await design()).toMatchObject({
      gradient: { style: 'linear', angle: 45, colors, exclude_corners: true },
      corners: { corner_3: { shape: 'rounded', outer_color: '#440000' } },
      spec_settings: { error_correction: 4 },
      frame: {
        id: 'text_top_and_bottom',
        colors: { primary: '#440000' },
        text: { primary: 'Order here', secondary: 'until Sunday' },
      },
      text: { center: { content: 'Sale', color: '#440000' } },
    })

    await row(page, 'Sale').getByRole('button', { name: 'Edit Sale' }).click()
    await dots.getByRole('button', { name: 'Remove colour 2' }).click()
    await choose(page, 'Gradient of the dots', 'Radial, from the middle')
    await section(page, 'Frame')
    expect(await field('Second text of the frame').inputValue()).toBe('until Sunday')
    await color('Frame colour', '')
    await section(page, 'Texts')
    await field('Text in the middle').fill('')
    await dialog(page).getByRole('button', { name: 'Save' }).click()
    await dialog(page).waitFor({ state: 'detached' })
    const changed = await design()
    expect(changed.gradient).toMatchObject({ style: 'radial', colors: [colors[0], colors[2]] })
    expect([changed.frame.colors, changed.text]).toEqual([{}, {}])
    expect(problems).toEqual([])
    await context.close()
  })

  it('have a logo or a text in the middle, and the studio fits phones', async () => {
    const onPhone = { ...phone, isMobile: true, reducedMotion: 'reduce' } as const
    const { page, context, open } = await signedInPage(browser, started, onPhone)
    const body = await png(8, 8)
    const image = await started.request('POST', '/v4/images?name=mark', {
      body,
      headers: { 'content-type': 'image/png' },
    })
    expect(image.status).toBeLessThan(300)
    await open('qr-codes')
    await page.getByRole('button', { name: 'Create a QR code' }).click()
    await section(page, 'Logo')
    await dialog(page).getByRole('button', { name: 'mark', exact: true }).click()
    await section(page, 'Texts')
    await dialog(page).getByText('The logo is in the middle.').waitFor()
    expect(await dialog(page).getByRole('textbox', { name: 'Text in the middle' }).isDisabled()).toBe(true)
    // Menus open near the end of the screen, too, without moving the page.
    await section(page, 'Frame')
    await choose(page, 'Frame', 'Speech bubble')
    for (const name of ['Colours', 'Shapes', 'Logo', 'Frame', 'Texts']) {
      await section(page, name)
      // What is at the top stays in view.
      await dialog(page).getByAltText('Preview of the QR code').waitFor()
      expect([name, await findingsInBoth(page)]).toEqual([name, []])
      const wide = '.mantine-Modal-content'
      const overflow = await page.evaluate(
        `document.querySelector('${wide}').scrollWidth - document.querySelector('${wide}').clientWidth`,
      )
      expect([name, overflow]).toEqual([name, 0])
    }
    await context.close()
  })

  it('are made for a short link, and found on its page', async () => {
    const { page, context, problems, open } = await signedInPage(browser, started, { reducedMotion: 'reduce' })
    const body = { long_url: 'https://example.com/poster', title: 'Poster page' }
    const { body: link } = await started.request('POST', '/v4/shortlinks', { body })
    await open(`links/${link.id}`)
    await page.getByRole('button', { name: 'Create a QR code' }).click()
    await dialog(page).getByText('This code leads where its short link leads.').waitFor()
    expect(await dialog(page).getByLabel('Title').inputValue()).toBe('Poster page')
    await dialog(page).getByRole('button', { name: 'Create a QR code' }).click()
    await dialog(page).waitFor({ state: 'detached' })
    const picture = page.getByRole('main').getByRole('link', { name: 'QR code of Poster page' })
    await picture.waitFor()
    expect(await findingsInBoth(page)).toEqual([])
    const { qr_code_ids } = (await started.request('GET', `/v4/shortlinks/${link.id}`)).body
    await picture.click()
    await page.waitForURL(new RegExp(`qr-codes/${qr_code_ids[0]}/analytics`))
    expect(problems).toEqual([])
    await context.close()
  })

  it('of a short link are changed without its destination, on a phone', async () => {
    const { page, context, problems, open } = await signedInPage(browser, started, {
      ...phone,
      reducedMotion: 'reduce',
    })
    const { body: link } = await started.request('POST', '/v4/shorten', { body: { long_url: 'https://example.com/c' } })
    const body = { group_guid: started.groupGuid, title: 'Coupled', destination: { shortlink_id: link.id } }
    const { body: code } = await started.request('POST', '/v4/qr-codes', { body })
    await open(`qr-codes?edit=${code.qrcode_id}`)
    await dialog(page).getByRole('link', { name: link.id }).waitFor()
    expect(
      await dialog(page)
        .getByLabel(/^Destination/)
        .count(),
    ).toBe(0)
    await dialog(page).getByAltText('Preview of the QR code').waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    await dialog(page).getByRole('button', { name: 'Cancel' }).click()
    await dialog(page).waitFor({ state: 'detached' })
    expect(problems).toEqual([])
    await context.close()
  })

  it('are found by their words, archived with a way back, and deleted unless they are redirected', async () => {
    const aCode = async (title: string) => {
      const destination = { long_url: `https://example.com/${encodeURIComponent(title)}` }
      const body = { group_guid: started.groupGuid, title, destination }
      return (await started.request('POST', '/v4/qr-codes', { body })).body.qrcode_id
    }
    const [alpha, beta] = [await aCode('Alpha sign'), await aCode('Beta sign')]
    const { page, context, problems, open } = await signedInPage(browser, started, { reducedMotion: 'reduce' })
    const act = async (title: string, action: string) => {
      await page.getByRole('button', { name: `More actions for ${title}` }).click()
      await page.getByRole('menuitem', { name: action }).click()
    }
    await open('qr-codes')
    await row(page, 'Alpha sign').waitFor()
    await page.getByRole('searchbox').fill('beta')
    await row(page, 'Alpha sign').waitFor({ state: 'detached' })
    await page.waitForURL(/q=beta/)
    await act('Beta sign', 'Archive')
    await page.getByText('No QR codes match').waitFor()
    await page.getByRole('radiogroup', { name: 'Archived' }).getByText('Archived').click()
    await row(page, 'Beta sign').waitFor()
    expect(page.url()).toContain('archived=on')
    expect(await findingsInBoth(page)).toEqual([])
    await page.getByRole('button', { name: 'Undo' }).click()
    await row(page, 'Beta sign').waitFor({ state: 'detached' })
    expect((await started.request('GET', `/v4/qr-codes/${beta}`)).body.archived).toBe(false)

    await open('qr-codes?q=sign')
    await act('Alpha sign', 'Delete')
    await dialog(page).getByText('also where the code was printed').waitFor()
    await dialog(page).getByRole('button', { name: 'Delete' }).click()
    await row(page, 'Alpha sign').waitFor({ state: 'detached' })
    expect((await started.request('GET', `/v4/qr-codes/${alpha}`)).status).toBe(410)
    expect(problems).toEqual([])
    const redirect = { body: { long_url: 'https://example.com/elsewhere' } }
    await started.request('PATCH', `/v4/qr-codes/${beta}/redirect`, redirect)
    await act('Beta sign', 'Delete')
    await dialog(page).getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('alert').filter({ hasNotText: 'QR code deleted' }).waitFor()
    await row(page, 'Beta sign').waitFor()
    await context.close()
  })

  it('have images that are deleted unless a code uses them, and more than a page of them', async () => {
    const { page, context, problems, open } = await signedInPage(browser, started, { reducedMotion: 'reduce' })
    const body = await png(8, 8)
    const headers = { 'content-type': 'image/png' }
    for (let number = 0; number < 52; number++) {
      await started.request('POST', `/v4/images?name=image-${number}`, { body, headers })
    }
    await open('qr-codes')
    await page.getByRole('button', { name: 'Create a QR code' }).click()
    await section(page, 'Logo')
    await dialog(page).getByRole('button', { name: 'image-51' }).waitFor()
    const oldest = dialog(page).getByRole('button', { name: 'image-0', exact: true })
    expect(await oldest.count()).toBe(0)
    await dialog(page).getByRole('button', { name: 'More images' }).click()
    await oldest.waitFor()
    await dialog(page).getByRole('button', { name: 'image-0', exact: true }).click()
    await dialog(page).getByRole('button', { name: 'Delete image' }).click()
    expect(await findingsInBoth(page)).toEqual([])
    await dialog(page).getByRole('button', { name: 'Delete', exact: true }).click()
    await dialog(page).getByRole('button', { name: 'image-0', exact: true }).waitFor({ state: 'detached' })
    await dialog(page).getByRole('button', { name: 'No logo', pressed: true }).waitFor()

    await dialog(page).getByRole('button', { name: 'tree.png' }).click()
    await dialog(page).getByRole('button', { name: 'Delete image' }).click()
    await dialog(page).getByRole('button', { name: 'Delete', exact: true }).click()
    await dialog(page)
      .getByRole('alert')
      .getByText(/QR code/)
      .waitFor()
    expect(problems.splice(0)).toHaveLength(1)
    await context.close()
  })
})
