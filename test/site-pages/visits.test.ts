import { beforeAll, describe, expect, it } from 'vitest'
import { trafficClasses, visitKinds } from '../../src/core/clicks/dimensions.js'
import { firstOrganization, organize } from '../api/organize.js'
import { type StartedApp, useApp } from '../support/start-app.js'
import { aBlock, aDocument, publishSite } from './publish.js'
import { link, makeThings, person, type Things } from './samples.js'

const browser = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' }

describe('a page', () => {
  let now = Date.UTC(2026, 5, 1)
  const started = useApp({}, { clock: { now: () => now } })
  let things: Things
  beforeAll(async () => {
    things = await makeThings(started)
  })
  const visit = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    started.request(method, path, { token: null, headers: { ...browser, ...headers } })

  it('is published, moved and taken away by the API', async () => {
    const call = async (method: string, path: string, body?: object) => {
      const answer = await started.request(method, path, { body })
      expect([200, 201, 204], `${method} ${path}: ${answer.text}`).toContain(answer.status)
      return answer.body
    }
    const place = { group_guid: started.groupGuid, domain: started.domain, keyword: 'made' }
    const { site_guid } = await call('POST', '/v4/sites', place)
    expect((await visit('/m/made')).status).toBe(404)
    const at = `/v4/sites/${site_guid}`
    const content = { shortlink_id: things.links[0], link_title: 'Our menu' }
    const { block_id } = await call('POST', `${at}/blocks`, { type: 'shortlink', content })
    await call('POST', `${at}/publish`)
    expect((await visit('/m/made')).text).toContain('Our menu')
    await call('PATCH', `${at}/blocks/${block_id}`, { content: { ...content, link_title: 'Our new menu' } })
    expect((await visit('/m/made')).text).toContain('Our menu')
    await call('POST', `${at}/publish`)
    expect((await visit('/m/made')).text).toContain('Our new menu')
    await call('PATCH', at, { uri: `${started.domain}/m/moved`, display_name: 'Harbour Café' })
    const former = await visit('/m/made')
    expect([former.status, former.headers.location]).toEqual([302, `http://${started.domain}/m/moved`])
    expect((await visit('/m/moved')).text).toContain('Harbour Café')
    await call('DELETE', at)
    expect([(await visit('/m/moved')).status, (await visit('/m/made')).status]).toEqual([404, 404])
  })

  it('is at the root of a branded domain before that leads elsewhere', async () => {
    const organization = await firstOrganization(started)
    const domain = await organize(started).domain('go.example.com', organization, [started.groupGuid])
    const root = () => visit('/', { host: domain })
    expect((await root()).text).toContain('Short link service')
    const { guid } = await publishSite(started, aDocument({ displayName: 'At the root' }, []), { path: '', domain })
    expect((await root()).text).toContain('<h1 class="tc" dir="auto">At the root</h1>')
    const root_url = 'https://example.com/elsewhere'
    const later = await started.request('PATCH', `/v4/organizations/${organization}/domains/${domain}`, {
      body: { root_url },
    })
    expect(later.status).toBe(200)
    expect((await root()).text).toContain('At the root')
    expect((await started.request('DELETE', `/v4/sites/${guid}`)).status).toBe(204)
    const left = await root()
    expect([left.status, left.headers.location]).toEqual([302, root_url])
  })

  it('is what was published, and links lead through its short links', async () => {
    const { guid, path } = await publishSite(
      started,
      aDocument({ displayName: 'Fish & "Chips"' }, [link(things, 'Menu <b>')]),
    )
    const page = await visit(path)
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(page.text).toContain('<h1 class="tc" dir="auto">Fish &#38; &#34;Chips&#34;</h1>')
    expect(page.text).toContain('Menu &#60;b&#62;')
    const [, href = ''] = /<a class="b" href="([^"]*)"/.exec(page.text) ?? []
    expect(href).toBe(`http://${things.links[0]}?r=${guid}`)
    const followed = await visit(new URL(href).pathname + new URL(href).search)
    expect([followed.status, followed.headers.location]).toEqual([301, 'https://example.com/page/0'])
  })

  it('writes a text on a ground of its own in the color that was checked', async () => {
    const onGrey = aBlock('text_block', { text: 'Closed today' }, { appearance: { backgroundColor: '#7a7a7a' } })
    const colors = { backgroundPreference: 'color', textColor: '#000000', descriptionColor: '#000000' } as const
    const { path } = await publishSite(started, aDocument({}, [onGrey], { stylePreference: 'custom', ...colors }))
    expect((await visit(path)).text).toContain('{background:#7a7a7a;color:#000000}')
  })

  it('allows no script, and nothing from elsewhere but images of the service', async () => {
    const { path } = await publishSite(started, aDocument({}, [link(things, 'Menu', { imageGuid: things.images[0] })]))
    const { headers, text } = await visit(path)
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; img-src http:\/\/localhost:\d+; base-uri 'none'; form-action 'none'/,
    )
    expect(headers['x-content-type-options']).toBe('nosniff')
    expect(text).not.toMatch(/<script|<iframe|<object|\son\w+=|style="/i)
    expect(await visit(/src="http:\/\/[^/]*([^"]*)"/.exec(text)?.[1] ?? '')).toMatchObject({ status: 200 })
  })

  it('is compressed for browsers, and sent once while it stays the same', async () => {
    const { path, publish } = await publishSite(started, aDocument({ displayName: 'First' }, []))
    const plain = await visit(path)
    expect(plain.headers).toMatchObject({ vary: 'Accept-Encoding', 'cache-control': 'private, no-cache' })
    const small = await visit(path, { 'accept-encoding': 'gzip, deflate, br' })
    expect(small.headers['content-encoding']).toBe('br')
    expect(small.bytes.length).toBeLessThan(plain.bytes.length / 2)
    const etag = String(plain.headers.etag)
    expect(small.headers.etag).toBe(etag)
    const known = await visit(path, { 'if-none-match': etag })
    expect([known.status, known.text, known.headers.etag]).toEqual([304, '', etag])
    await publish(aDocument({ displayName: 'Second' }, []))
    const changed = await visit(path, { 'if-none-match': etag })
    expect(changed.status).toBe(200)
    expect(changed.text).toContain('Second')
  })

  it('answers HEAD like GET without the page, and no other method', async () => {
    const { path } = await publishSite(started, aDocument({}, []))
    const [get, head] = [await visit(path), await visit(path, {}, 'HEAD')]
    expect([head.status, head.text, head.headers['content-length']]).toEqual([200, '', String(get.bytes.length)])
    expect((await visit(path, {}, 'POST')).status).toBe(405)
  })

  it('is not there before it is published, and not once it is deactivated', async () => {
    const { guid, path } = await publishSite(started, aDocument({}, []))
    expect((await visit(path)).status).toBe(200)
    await started.app.sites.deactivate(guid, now)
    started.app.redirectCache.forget(`localhost:${started.app.config.port}${path}`)
    expect((await visit(path)).status).toBe(404)
  })

  it('loses a block with its link, at once', async () => {
    const { body } = await started.request('POST', '/v4/shorten', { body: { long_url: 'https://example.com/gone' } })
    const { path } = await publishSite(
      started,
      aDocument({}, [aBlock('shortlink', { linkId: body.id, title: 'Soon gone' })]),
    )
    expect((await visit(path)).text).toContain('Soon gone')
    expect((await started.request('DELETE', `/v4/shortlinks/${body.id}`)).status).toBe(200)
    expect((await visit(path)).text).not.toContain('Soon gone')
  })

  it('loses a block when its link expires, and when its own time is over', async () => {
    const { body } = await started.request('POST', '/v4/shorten', {
      body: { long_url: 'https://example.com/expiring' },
    })
    const expiration_at = new Date(now + 600_000).toISOString().replace('.000Z', '+0000')
    const changed = await started.request('PATCH', `/v4/shortlinks/${body.id}`, { body: { expiration_at } })
    expect(changed.status).toBe(200)
    const { path } = await publishSite(
      started,
      aDocument({}, [
        aBlock('shortlink', { linkId: body.id, title: 'Expiring' }),
        aBlock('text_block', { text: 'Later' }, { scheduleStart: now + 300_000, scheduleEnd: now + 1_200_000 }),
      ]),
    )
    const shown = async () => {
      const { text } = await visit(path)
      return ['Expiring', 'Later'].filter((each) => text.includes(each))
    }
    const start = now
    const seen: string[][] = []
    for (const minutes of [0, 5, 9.999, 10, 19.999, 20]) {
      now = start + minutes * 60_000
      seen.push(await shown())
    }
    expect(seen).toEqual([['Expiring'], ['Expiring', 'Later'], ['Expiring', 'Later'], ['Later'], ['Later'], []])
  })

  it('leaves the root of a domain when its group is removed, and its other sites stay', async () => {
    const organization = await firstOrganization(started)
    const group = await organize(started).group('Short-lived', organization)
    const [domain, other] = ['root.example.com', 'former.example.com']
    for (const each of [domain, other]) await organize(started).domain(each, organization, [group])
    const make = async (fields: object) => {
      const body = { group_guid: group, keyword: '', ...fields }
      const at = `/v4/sites/${(await started.request('POST', '/v4/sites', { body })).body.site_guid}`
      expect((await started.request('POST', `${at}/publish`)).status).toBe(201)
      return at
    }
    await make({ domain })
    await make({ domain, keyword: 'stays' })
    const moved = await make({ domain: other })
    expect((await started.request('PATCH', moved, { body: { uri: `${other}/here` } })).status).toBe(200)
    const statuses = async () => [
      (await visit('/', { host: domain })).text.includes('<h1'),
      (await visit('/m/stays', { host: domain })).status,
      (await visit('/', { host: other })).headers.location,
      (await visit('/here', { host: other })).status,
    ]
    expect(await statuses()).toEqual([true, 200, `http://${other}:${started.app.config.port}/here`, 200])
    for (const each of [domain, other]) {
      const body = { root_url: 'https://example.com/root' }
      const answer = await started.request('PATCH', `/v4/organizations/${organization}/domains/${each}`, { body })
      expect(answer.status).toBe(200)
    }
    expect((await started.request('DELETE', `/v4/groups/${group}`)).status).toBe(204)
    expect(await statuses()).toEqual([false, 200, 'https://example.com/root', 200])
    expect((await visit('/', { host: domain })).headers.location).toBe('https://example.com/root')
  })

  it('sends visitors of a former address on', async () => {
    const { guid, path } = await publishSite(started, aDocument({ displayName: 'Moved' }, []))
    const { key } = started.app.domains.default
    const place = { address: `${key}/m/elsewhere`, url: `http://${key}/m/elsewhere` }
    await started.app.sites.update(guid, { place }, { login: 'admin', at: now })
    for (const address of [`${key}${path}`, place.address]) started.app.redirectCache.forget(address)
    const former = await visit(path)
    expect([former.status, former.headers.location]).toEqual([
      302,
      `http://localhost:${started.app.config.port}/m/elsewhere`,
    ])
    expect(former.headers['cache-control']).toBe('private, no-cache')
    const scanned = await visit(`${path}?r=qr`)
    expect(scanned.headers.location).toBe(`http://localhost:${started.app.config.port}/m/elsewhere?r=qr`)
    expect((await visit('/m/elsewhere')).text).toContain('Moved')
    await started.app.sites.removeRedirect(guid, `${key}${path}`, now)
    started.app.redirectCache.forget(`${key}${path}`)
    expect((await visit(path)).status).toBe(404)
  })

  it('gives business cards that are shown as vCards', async () => {
    const card = person({ company: 'Fish; Chips\nTEL:1' })
    const hidden = { ...person(), isActive: false }
    const { path } = await publishSite(started, aDocument({}, [card, hidden]))
    const answer = await visit(`${path}?card=${card.id}`)
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/vcard; charset=utf-8'])
    expect(answer.headers['content-disposition']).toContain("filename*=UTF-8''Mara%20Lindqvist.vcf")
    expect(answer.text.split('\r\n').slice(0, 6)).toEqual([
      'BEGIN:VCARD',
      'VERSION:3.0',
      'N:Lindqvist;Mara;;;',
      'FN:Mara Lindqvist',
      'ORG:Fish\\; Chips TEL:1',
      'TITLE:Photographer',
    ])
    expect((await visit(`${path}?card=${hidden.id}`)).headers['content-type']).toBe('text/html; charset=utf-8')
  })

  it('gives vCards in which no text becomes a line of its own', async () => {
    const ends = ['\n', '\r', '\r\n'].map((end) => `Room 1${end}TEL:+1900`)
    const contacts = ends.flatMap((value) =>
      (['note', 'location'] as const).map((method) => ({ method, label: 'work', value }) as const),
    )
    const card = person({ contacts })
    const { path } = await publishSite(started, aDocument({}, [card]))
    const lines = (await visit(`${path}?card=${card.id}`)).text.split(/\r\n|\r|\n/)
    expect(lines.filter((line) => line.startsWith('TEL'))).toEqual([])
    expect(lines.filter((line) => line.endsWith('Room 1\\nTEL:+1900'))).toHaveLength(3)
  })

  it('has a picture for messengers, drawn from its name', async () => {
    const { path } = await publishSite(
      started,
      aDocument({ displayName: 'Ĉu vi vidas 👀 tion?' }, [], { avatarImageGuid: things.images[0] }),
    )
    const [, url = ''] = /property="og:image" content="([^"]*)"/.exec((await visit(path)).text) ?? []
    const { pathname, search } = new URL(url)
    const picture = await visit(pathname + search)
    expect([picture.status, picture.headers['content-type']]).toEqual([200, 'image/png'])
    expect([picture.bytes.readUInt32BE(16), picture.bytes.readUInt32BE(20)]).toEqual([1200, 630])
    const again = await visit(pathname + search, { 'if-none-match': String(picture.headers.etag) })
    expect(again.status).toBe(304)
  })

  it('shows the parts of pictures that were chosen', async () => {
    const [avatar = '', banner = '', background = ''] = things.images
    const crop = { left: 0.5, top: 0, right: 1, bottom: 0.8 }
    const crops = { [avatar]: crop, [banner]: crop, [background]: crop }
    const { path } = await publishSite(
      started,
      aDocument(
        {},
        [],
        { avatarImageGuid: avatar, backgroundImageGuid: background, backgroundPreference: 'image', crops },
        { bannerType: 'hero', bannerImageGuid: banner },
      ),
    )
    const { text } = await visit(path)
    const shown = [avatar, banner, background].map((guid) => {
      const [, own = ''] = new RegExp(`<span class="cr (?:av )?(o\\d+)"><img src="[^"]*/${guid}/file"`).exec(text) ?? []
      return new RegExp(`\\.${own} img\\{(.*)\\}`).exec(text)?.[1]
    })
    const part = 'width:200%;height:125%;left:-100%;top:0%;object-position:75% 40%'
    expect(shown).toEqual([part, part, part])
  })

  it('has no page of information, and is found as other links are', async () => {
    const { path } = await publishSite(started, aDocument({ displayName: 'Plus' }, []))
    for (const suffix of ['+', '/', '.']) expect((await visit(path + suffix)).text).toContain('<h1')
  })

  it('links to profiles so that they can verify it', async () => {
    const { path } = await publishSite(
      started,
      aDocument({}, [
        aBlock('social', { channel: 'mastodon', url: 'https://social.example/@mara' }),
        aBlock('social', { channel: 'email', url: 'mailto:mara@example.com' }),
        person(),
      ]),
    )
    const { text } = await visit(path)
    expect([...text.matchAll(/<link rel="me" href="([^"]*)">/g)].map(([, url]) => url)).toEqual([
      'https://social.example/@mara',
      'https://northlight.example/',
    ])
  })

  it('counts views and buttons by who asks', async () => {
    const { guid, path } = await publishSite(started, aDocument({}, [link(things, 'Menu')]))
    const etag = String((await visit(path)).headers.etag)
    await visit(path, { 'if-none-match': etag })
    await visit(path, {}, 'HEAD')
    await visit(path, { 'user-agent': 'Googlebot/2.1 (+http://www.google.com/bot.html)' })
    await visit(`${path}?r=qr`)
    await visit(`/${things.links[0]?.split('/')[1]}?r=${guid}`)
    await visit(`${path}?card=unknown`)
    const { key } = started.app.domains.default
    expect(await counted(started, `${key}${path}`)).toEqual(
      ['view human  3', 'scan human  1', 'view bot  1', 'view head  1'].sort(),
    )
    expect(await counted(started, things.links[0] ?? '')).toContain(`button human ${guid} 1`)
  })

  it('counts downloads of business cards as buttons of the page', async () => {
    const card = person()
    const { guid, path } = await publishSite(started, aDocument({}, [card]))
    await visit(`${path}?card=${card.id}`)
    await visit(`${path}?card=${card.id}`, {}, 'HEAD')
    const { key } = started.app.domains.default
    expect(await counted(started, `${key}${path}`)).toEqual([`button head ${guid} 1`, `button human ${guid} 1`])
  })
})

/** Visits of an address by kind, class and site. */
async function counted(started: StartedApp, address: string): Promise<string[]> {
  await started.clicksCounted()
  const rows = await started.app.metrics.count({
    scope: { addresses: [address] },
    kinds: visitKinds,
    trafficClasses,
    from: undefined,
    to: Number.MAX_SAFE_INTEGER,
    by: ['kind', 'trafficClass', 'site'],
    bucket: undefined,
    size: undefined,
    measure: 'events',
  })
  return rows.map(({ values, count }) => `${values.join(' ')} ${count}`).sort()
}
