import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { firstOrganization } from '../api/organize.js'
import { browserTitle, chromium } from '../support/browser.js'
import { png } from '../support/pictures.js'
import { useApp } from '../support/start-app.js'
import { findingsInBoth, signedInPage, useBrowser } from './dashboard-page.js'

describe.skipIf(chromium === undefined)(`two people change the same ${browserTitle}`, { timeout: 120_000 }, () => {
  const started = useApp({ dnsTargets: [] })
  const browser = useBrowser()
  let group_guid: string
  let organization_guid: string
  beforeAll(async () => {
    group_guid = started.groupGuid
    organization_guid = await firstOrganization(started)
  })

  const read = async (path: string) => (await started.request('GET', path)).body
  const send = async (method: 'POST' | 'PATCH', path: string, body: object) => {
    const answer = await started.request(method, path, { body })
    expect(answer.status).toBeLessThan(300)
    return answer.body
  }
  const dialog = (page: Page) => page.getByRole('dialog')
  const conflicts = (page: Page) => dialog(page).getByRole('region', { name: 'This was changed while you edited it' })
  const fieldsIn = (page: Page) =>
    conflicts(page)
      .getByRole('group')
      .evaluateAll((groups) => groups.map((group) => group.querySelector('legend')?.textContent))
  const choice = (page: Page, field: string, name: RegExp) =>
    conflicts(page).getByRole('group', { name: field }).getByRole('radio', { name })
  const save = (page: Page) => dialog(page).getByRole('button', { name: 'Save' }).click()
  const isClosed = (page: Page) => dialog(page).waitFor({ state: 'detached' })
  /** Two people with the same form. */
  const twoAt = async (path: string, begin: (page: Page) => Promise<void>) => {
    const [mine, other] = [await signedInPage(browser, started), await signedInPage(browser, started)]
    for (const each of [mine, other]) {
      await each.open(path)
      await begin(each.page)
    }
    const close = async () => {
      expect([...mine.problems, ...other.problems]).toEqual([])
      await mine.context.close()
      await other.context.close()
    }
    return { mine: mine.page, other: other.page, close }
  }
  const edit = async (page: Page) => {
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await dialog(page)
      .getByLabel(/^(Name|Title)/)
      .waitFor()
  }

  it('a campaign: channels of both stay, and what both wrote is asked for', async () => {
    const channels: Record<string, string> = {}
    for (const name of ['Old', 'Gone', 'Theirs', 'Mine']) {
      channels[name] = (await send('POST', '/v4/channels', { group_guid, name })).guid
    }
    const channel_guids = [channels.Old, channels.Gone]
    const { guid } = await send('POST', '/v4/campaigns', { group_guid, name: 'Spring', channel_guids })
    const { mine, other, close } = await twoAt(`campaigns/${guid}`, edit)
    const add = async (page: Page, name: string) => {
      await dialog(page).getByRole('combobox', { name: 'Channels' }).fill(name)
      await page.getByRole('option', { name, exact: true }).click()
      await page.keyboard.press('Escape')
    }
    await dialog(other).getByLabel('Name').fill('Summer')
    await dialog(other).getByLabel('Description').fill('Their words')
    await add(other, 'Theirs')
    await save(other)
    await isClosed(other)

    await dialog(mine).getByLabel('Description').fill('My words')
    await dialog(mine).getByRole('combobox', { name: 'Channels' }).click()
    await mine.getByRole('option', { name: 'Gone' }).click()
    await add(mine, 'Mine')
    await save(mine)
    await choice(mine, 'Description', /^Keep mine My words$/).check()
    expect(await choice(mine, 'Description', /^Take theirs Their words$/).count()).toBe(1)
    expect(await fieldsIn(mine)).toEqual(['Description'])
    expect(await dialog(mine).getByLabel('Description').inputValue()).toBe('My words')
    expect((await read(`/v4/campaigns/${guid}`)).description).toBe('Their words')
    expect(await findingsInBoth(mine)).toEqual([])
    await save(mine)
    await isClosed(mine)
    expect(await read(`/v4/campaigns/${guid}`)).toMatchObject({ name: 'Summer', description: 'My words' })
    const now: { name: string }[] = (await read(`/v4/channels?campaign_guid=${guid}`)).channels
    expect(now.map(({ name }) => name).sort()).toEqual(['Mine', 'Old', 'Theirs'])
    await close()
  })

  it('a webhook: fields of both stay, and what both wrote is asked for', async () => {
    const url = 'https://hooks.example.com/before'
    const { guid } = await send('POST', '/v4/webhooks', { organization_guid, name: 'Before', event: 'engagement', url })
    const { mine, other, close } = await twoAt(`settings/webhooks/${guid}`, edit)
    await dialog(other).getByLabel(/^Name/).fill('Theirs')
    await dialog(other).getByLabel(/^URL/).fill('hooks.example.com/theirs')
    await dialog(other).getByRole('checkbox', { name: 'Link expired' }).check()
    await save(other)
    await isClosed(other)

    await dialog(mine).getByLabel(/^Name/).fill('Mine')
    await dialog(mine).getByRole('checkbox', { name: 'Link created' }).check()
    await dialog(mine).getByText('More options').click()
    await dialog(mine).getByLabel('Events in one request').fill('5')
    await save(mine)
    await choice(mine, 'Name', /^Take theirs Theirs$/).check()
    expect(await fieldsIn(mine)).toEqual(['Name', 'Events'])
    expect(await choice(mine, 'Events', /^Take theirs Click or scan, Link expired$/).count()).toBe(1)
    await choice(mine, 'Events', /^Keep mine Click or scan, Link created$/).check()
    expect(await dialog(mine).getByLabel(/^Name/).inputValue()).toBe('Mine')
    expect(await findingsInBoth(mine)).toEqual([])
    await save(mine)
    await isClosed(mine)
    const now = { name: 'Theirs', url: 'https://hooks.example.com/theirs', events: ['engagement', 'link.created'] }
    expect(await read(`/v4/webhooks/${guid}`)).toMatchObject({ ...now, batch: 5 })
    await close()
  })

  describe('a QR code', () => {
    const aCode = async (title: string): Promise<string> => {
      const destination = { long_url: `https://example.com/${crypto.randomUUID()}` }
      return (await send('POST', '/v4/qr-codes', { group_guid, title, destination })).qrcode_id
    }
    const title = (page: Page) => dialog(page).getByLabel('Title')
    const color = (page: Page, name: string) => dialog(page).getByRole('textbox', { name, exact: true })
    const isOpen = (page: Page) => title(page).waitFor()

    it('keeps parts of the design that one of them changed, and shows the others as pictures', async () => {
      const code = await aCode('Before')
      const { mine, other, close } = await twoAt(`qr-codes?edit=${code}`, isOpen)
      await title(other).fill('Theirs')
      await color(other, 'Dots').fill('#112233')
      await color(other, 'Background').fill('#ddeeff')
      await save(other)
      await isClosed(other)

      await color(mine, 'Dots').fill('#331122')
      await dialog(mine).getByRole('tab', { name: 'Texts' }).click()
      await dialog(mine).getByLabel('Text above the code').fill('Mine')
      await dialog(mine)
        .getByLabel(/^Destination/)
        .fill('example.com/mine')
      await save(mine)
      await choice(mine, 'Dots', /^Keep mine #331122/).waitFor()
      expect(await fieldsIn(mine)).toEqual(['Dots'])
      const pictures = conflicts(mine).getByRole('img')
      await expect.poll(() => pictures.count()).toBe(2)
      const drawn = () =>
        pictures.evaluateAll((all) => all.map((each) => atob(each.getAttribute('src')?.split(',')[1] ?? '')))
      await expect.poll(async () => (await drawn())[0]).toContain('#331122')
      expect((await drawn())[1]).toContain('#112233')
      expect(await findingsInBoth(mine)).toEqual([])
      await choice(mine, 'Dots', /^Take theirs #112233/).check()
      await save(mine)
      await isClosed(mine)
      const now = await read(`/v4/qr-codes/${code}`)
      expect(now).toMatchObject({ title: 'Theirs', long_urls: ['https://example.com/mine'] })
      expect(now.render_customizations).toMatchObject({
        dot_pattern_color: '#112233',
        background_color: '#ddeeff',
        text: { top: { content: 'Mine' } },
      })
      await close()
    })

    it('is not overwritten by what was changed in the very moment of saving', async () => {
      const code = await aCode('Before')
      const { page, context, open } = await signedInPage(browser, started)
      await open(`qr-codes?edit=${code}`)
      await isOpen(page)
      const path = `/v4/qr-codes/${code}`
      const meanwhile = [{ title: 'In that moment' }]
      const answers: number[] = []
      await page.route(`**${path}*`, async (route) => {
        if (route.request().method() !== 'PATCH') return route.fallback()
        const next = meanwhile.shift()
        if (next) await send('PATCH', path, next)
        const answer = await route.fetch()
        answers.push(answer.status())
        await route.fulfill({ response: answer })
      })
      await title(page).fill('Mine')
      await save(page)
      await choice(page, 'Title', /In that moment$/).waitFor()
      expect(answers).toEqual([412])
      await choice(page, 'Title', /Mine$/).check()
      await save(page)
      await isClosed(page)
      expect(answers).toEqual([412, 200])
      expect((await read(path)).title).toBe('Mine')
      await context.close()
    })

    it('keeps what both changed when the destination is refused, and the form while the code cannot be read', async () => {
      const code = await aCode('Before')
      const path = `/v4/qr-codes/${code}`
      const { mine, other } = await twoAt(`qr-codes?edit=${code}`, isOpen)
      await color(other, 'Background').fill('#ddeeff')
      await save(other)
      await isClosed(other)

      let isAway = false
      for (const reading of [path, '/v4/batch']) {
        await mine.route(`**${reading}`, (route) => (isAway ? route.fulfill({ status: 404 }) : route.fallback()))
      }
      await mine.route(`**${path}/redirect`, async (route) => {
        const response = await route.fetch()
        isAway = response.status() === 400
        await route.fulfill({ response })
      })
      const destination = dialog(mine).getByLabel(/^Destination/)
      await color(mine, 'Dots').fill('#331122')
      await destination.fill('no page')
      const readAgain = mine.waitForResponse((response) => response.status() === 404 && response.url().endsWith(path))
      await save(mine)
      await readAgain
      isAway = false
      await dialog(mine).getByRole('alert').filter({ hasText: /./ }).waitFor()
      expect(await color(mine, 'Background').inputValue()).toBe('#ddeeff')
      await destination.fill('example.com/corrected')
      await save(mine)
      await isClosed(mine)
      const now = await read(path)
      expect(now.long_urls).toEqual(['https://example.com/corrected'])
      expect(now.render_customizations).toMatchObject({ dot_pattern_color: '#331122', background_color: '#ddeeff' })
      for (const page of [mine, other]) await page.context().close()
    })

    it('shows a design of both that is refused', async () => {
      const code = await aCode('Before')
      const { page, context, open } = await signedInPage(browser, started)
      await open(`qr-codes?edit=${code}`)
      await isOpen(page)
      const headers = { 'content-type': 'image/png' }
      const image = await started.request('POST', '/v4/images?name=tree', { body: await png(64, 64), headers })
      const logo = { image_guid: image.body.guid }
      await send('PATCH', `/v4/qr-codes/${code}`, { render_customizations: { logo } })
      await dialog(page).getByRole('tab', { name: 'Texts' }).click()
      await dialog(page).getByLabel('Text in the middle').fill('Mine')
      await save(page)
      await dialog(page).getByRole('tab', { name: 'Logo' }).click()
      await dialog(page).getByRole('button', { name: 'tree', pressed: true }).waitFor()
      await dialog(page).getByRole('button', { name: 'No logo' }).click()
      await save(page)
      await isClosed(page)
      const { text, logo: none } = (await read(`/v4/qr-codes/${code}`)).render_customizations
      expect([text.center.content, none]).toEqual(['Mine', undefined])
      await context.close()
    })

    it('that was changed since it was shown is deleted at the second try alone', async () => {
      const code = await aCode('Doomed')
      const { page, context, problems, open } = await signedInPage(browser, started)
      await open('qr-codes')
      await page.getByRole('button', { name: 'More actions for Doomed' }).click()
      await page.getByRole('menuitem', { name: 'Delete' }).click()
      const before = (await read(`/v4/qr-codes/${code}`)).modified
      // Times are in seconds.
      let count = 0
      const modified = async () => (await send('PATCH', `/v4/qr-codes/${code}`, { title: `Saved ${count++}` })).modified
      await expect.poll(modified, { interval: 200, timeout: 5000 }).not.toBe(before)
      const remove = dialog(page).getByRole('button', { name: 'Delete' })
      await remove.click()
      await dialog(page).getByRole('alert').getByText('This was changed since').waitFor()
      expect((await read(`/v4/qr-codes/${code}`)).qrcode_id).toBe(code)
      expect(await findingsInBoth(page)).toEqual([])
      await remove.click()
      await isClosed(page)
      expect((await started.request('GET', `/v4/qr-codes/${code}`)).status).toBeGreaterThan(400)
      expect(problems).toEqual([])
      await context.close()
    })
  })

  describe('a link', () => {
    const aLink = async (title: string): Promise<string> =>
      (await send('POST', '/v4/shortlinks', { long_url: `https://example.com/${crypto.randomUUID()}`, title })).id

    it('that was changed after a change keeps that when the first one is undone', async () => {
      const id = await aLink('Before')
      const { page, context, problems, open } = await signedInPage(browser, started)
      await open(`links/${id}`)
      await edit(page)
      await dialog(page)
        .getByLabel(/^Title/)
        .fill('Mine')
      await save(page)
      await isClosed(page)
      await send('PATCH', `/v4/shortlinks/${id}`, { title: 'Theirs' })
      await page.getByRole('alert').getByRole('button', { name: 'Undo' }).click()
      await page.getByRole('alert').getByText('Somebody changed this link meanwhile').waitFor()
      expect((await read(`/v4/shortlinks/${id}`)).title).toBe('Theirs')
      // Now the history shows it, and its changes are known.
      const history = page.getByRole('region', { name: 'History' })
      await history.getByText('Theirs').first().waitFor()
      await history.getByRole('button', { name: 'Undo: You changed the title' }).last().click()
      await page.getByRole('heading', { name: 'Before', level: 1 }).waitFor()
      expect((await read(`/v4/shortlinks/${id}`)).title).toBe('Before')
      expect(problems).toEqual([])
      await context.close()
    })

    it('that was changed since it was shown is deleted at the second try alone', async () => {
      const id = await aLink('Doomed')
      const { page, context, open } = await signedInPage(browser, started)
      await open(`links/${id}`)
      await page.getByRole('button', { name: 'Delete', exact: true }).click()
      const remove = dialog(page).getByRole('button', { name: 'Delete' })
      await remove.waitFor()
      await send('PATCH', `/v4/shortlinks/${id}`, { title: 'Needed' })
      await remove.click()
      await dialog(page).getByRole('alert').getByText('This was changed since').waitFor()
      expect((await read(`/v4/shortlinks/${id}`)).title).toBe('Needed')
      await remove.click()
      await page.getByRole('heading', { name: 'Links', level: 1 }).waitFor()
      expect((await started.request('GET', `/v4/shortlinks/${id}`)).status).toBe(410)
      await context.close()
    })
  })
})
