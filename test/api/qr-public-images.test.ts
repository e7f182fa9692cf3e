import { describe, expect, it } from 'vitest'
import { plainDesign } from '../../src/core/qr-design/design.js'
import { readQrCode } from '../support/read-qr-code.js'
import { useApp } from '../support/start-app.js'
import { refusedArgument } from './visits.js'

const clock = { ahead: 0, now: () => Date.now() + clock.ahead }
const started = useApp({}, { clock })

let made = 0
async function aCode(fields: object = {}) {
  const destination = { long_url: `https://example.com/public/${made++}` }
  const body = { group_guid: started.groupGuid, destination, ...fields }
  return (await started.request('POST', '/v4/qr-codes', { body })).body
}

/** As a stranger, without a token. */
const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  started.request(method, path, { token: null, headers })
const pathOf = ({ image_url }: { image_url: string }, ending = '.svg') =>
  new URL(image_url).pathname.replace(/\.svg$/, ending)
const widthOf = (png: Buffer) => png.readUInt32BE(16)
const heightOf = (png: Buffer) => png.readUInt32BE(20)
const restyle = (id: string, render_customizations: object) =>
  started.request('PATCH', `/v4/qr-codes/${id}`, { body: { render_customizations } })

describe('the image_url of a QR code', () => {
  it('is in the new code, its details and the list, and cannot be guessed from another', async () => {
    const code = await aCode()
    expect(code.image_url).toMatch(/\/assets\/qr\/P[0-9A-Za-z]{22}\.svg$/)
    const details = (await started.request('GET', `/v4/qr-codes/${code.qrcode_id}`)).body
    const { qr_codes } = (await started.request('GET', `/v4/groups/${started.groupGuid}/qr-codes`)).body
    expect([details.image_url, qr_codes[0].image_url]).toEqual([code.image_url, code.image_url])
    expect((await aCode()).image_url).not.toBe(code.image_url)
  })

  it('answers the picture as SVG and PNG without a token', async () => {
    const code = await aCode()
    const svg = await get(pathOf(code))
    expect([svg.status, svg.headers['content-type']]).toEqual([200, 'image/svg+xml'])
    expect(svg.text).toMatch(/^<svg [^>]*width="512"/)
    const png = await get(pathOf(code, '.png'))
    expect([png.status, png.headers['content-type']]).toEqual([200, 'image/png'])
    expect(widthOf(png.bytes)).toBe(512)
    expect(await readQrCode(png.bytes)).toBe(code.serialized_content)
    for (const { headers } of [svg, png]) {
      expect(headers).toMatchObject({
        'cache-control': 'public, max-age=60',
        'access-control-allow-origin': '*',
        'cross-origin-resource-policy': 'cross-origin',
        'x-content-type-options': 'nosniff',
        'content-security-policy': expect.stringMatching(/default-src 'none'.*sandbox/),
      })
    }
  })

  it.each([
    ['?size=1', 256],
    ['?size=256', 256],
    ['?size=257', 512],
    ['?v=2&size=1000', 1024],
    ['?size=2048', 2048],
    ['?other=1', 512],
  ])('has the next of a few sizes: %s', async (query, size) => {
    expect(widthOf((await get(pathOf(await aCode(), '.png') + query)).bytes)).toBe(size)
  })

  it.each(['?size=0', '?size=2049', '?size=big', '?size=', '?size=-1'])('answers 400 for %s', async (query) => {
    const { status, body } = await get(pathOf(await aCode(), '.png') + query)
    expect([status, body]).toEqual([400, refusedArgument('size', 'qr_codes')])
  })

  it('is larger than asked for where scanners could not read it otherwise', async () => {
    const longer = ['240', '241', '250', '251', '400'].map((key) => ({ key, value: 'A'.repeat(30) }))
    const values = [{ key: '01', value: '9506000134352' }, { key: '21', value: 'B'.repeat(20) }, ...longer]
    const render_customizations = { frame: { id: 'text_bottom' }, spec_settings: { error_correction: 4 } }
    const code = await aCode({ gs1: { values }, render_customizations })
    const { status, bytes } = await get(`${pathOf(code, '.png')}?size=64`)
    expect(status).toBe(200)
    expect(heightOf(bytes)).toBe(512)
    expect(await readQrCode(bytes)).toBe(code.serialized_content)
  })

  it('answers 304 to those who have it, and HEAD without the picture', async () => {
    const path = pathOf(await aCode(), '.png')
    const { headers, bytes } = await get(path)
    const etag = String(headers.etag)
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await get(path, { 'if-none-match': known })
      expect([again.status, again.headers.etag, again.bytes.length]).toEqual([304, etag, 0])
    }
    expect((await get(path, { 'if-none-match': '"other"' })).status).toBe(200)
    const head = await get(path, {}, 'HEAD')
    expect([head.status, head.headers['content-length'], head.bytes.length]).toEqual([200, String(bytes.length), 0])
  })

  it('answers 404 for what is not there, and 405 for other methods', async () => {
    const code = await aCode()
    const unknown = ['PAAAAAAAAAAAAAAAAAAAAAA.svg', `${code.qrcode_id}.png`, 'P.svg', `${'P'.repeat(3000)}.svg`]
    for (const name of [
      ...unknown,
      '',
      '.svg',
      'a/b.svg',
      '%00.svg',
      pathOf(code, '.gif').slice('/assets/qr/'.length),
    ]) {
      const { status, body } = await get(`/assets/qr/${name}`)
      expect([name, status, body]).toEqual([
        name,
        404,
        { message: 'NOT_FOUND', resource: 'qr_codes', description: 'There is no such QR code.' },
      ])
    }
    const post = await get(pathOf(code), {}, 'POST')
    expect([post.status, post.headers.allow]).toEqual([405, 'GET, HEAD'])
  })

  it('shows a changed design at once', async () => {
    const code = await aCode()
    const before = await get(pathOf(code))
    await restyle(code.qrcode_id, { dot_pattern_color: '#123456' })
    const after = await get(pathOf(code), { 'if-none-match': String(before.headers.etag) })
    expect([after.status, after.text]).toEqual([200, expect.stringContaining('#123456')])
  })

  it('shows a design that another process changed a second later', async () => {
    const code = await aCode()
    await get(pathOf(code))
    const design = { ...plainDesign, dotPatternColor: '#654321' }
    // Past the operations of this service, as another one would.
    await started.app.qrCodes.update(code.qrcode_id, { design }, { login: 'admin', at: clock.now() })
    clock.ahead += 1000
    expect((await get(pathOf(code))).text).toContain('#654321')
  })

  it('is gone at once when the code is deleted, and a second later when its short link is', async () => {
    const code = await aCode()
    await get(pathOf(code))
    await started.request('DELETE', `/v4/qr-codes/${code.qrcode_id}`)
    expect((await get(pathOf(code))).status).toBe(404)

    const { id } = (await started.request('POST', '/v4/shorten', { body: { long_url: 'https://example.com/l' } })).body
    const coupled = await aCode({ destination: { shortlink_id: id } })
    expect((await get(pathOf(coupled))).status).toBe(200)
    await started.request('DELETE', `/v4/shortlinks/${id}`)
    clock.ahead += 1000
    expect((await get(pathOf(coupled))).status).toBe(404)
  })

  it('stays when the code is archived', async () => {
    const code = await aCode()
    await started.request('PATCH', `/v4/qr-codes/${code.qrcode_id}`, { body: { archived: true } })
    expect((await get(pathOf(code))).status).toBe(200)
  })
})
