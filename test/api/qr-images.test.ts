import { beforeAll, describe, expect, it } from 'vitest'
import { png } from '../support/pictures.js'
import { readQrCode } from '../support/read-qr-code.js'
import { useApp } from '../support/start-app.js'
import { aMember, aStranger, type Someone } from './alter-records.js'
import { unreadableBodies } from './organize.js'
import { refusedArgument } from './visits.js'

const started = useApp()
let stranger: Someone
let code: { qrcode_id: string; serialized_content: string }
beforeAll(async () => {
  stranger = await aStranger(started)
  const body = { group_guid: started.groupGuid, destination: { long_url: 'https://example.com/image' } }
  code = (await started.request('POST', '/v4/qr-codes', { body })).body
})

const image = (query = '', accept?: string, id = code.qrcode_id) =>
  started.request('GET', `/v4/qr-codes/${id}/image${query}`, { headers: accept === undefined ? {} : { accept } })
const draw = (fields: object, accept?: string, query = '') =>
  started.request('POST', `/v4/qr-codes/static${query}`, {
    body: { group_guid: started.groupGuid, content: 'Hello', ...fields },
    headers: accept === undefined ? {} : { accept },
  })
const fromUri = (uri: string) => Buffer.from(uri.slice(uri.indexOf(',') + 1), 'base64')
const widthOf = (png: Buffer) => png.readUInt32BE(16)

describe('GET /v4/qr-codes/{qrcode_id}/image', () => {
  it('answers JSON with a data URI, SVG by default', async () => {
    const { status, headers, body } = await image()
    expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8'])
    expect(body.qr_code_image).toMatch(/^data:image\/svg\+xml;base64,/)
    expect(fromUri(body.qr_code_image).toString()).toMatch(/^<svg /)
  })

  it('answers a PNG that scanners read as the short URL with r=qr', async () => {
    const { body } = await image('?format=png&size=256')
    expect(body.qr_code_image).toMatch(/^data:image\/png;base64,/)
    const png = fromUri(body.qr_code_image)
    expect(widthOf(png)).toBe(256)
    expect(await readQrCode(png)).toBe(code.serialized_content)
  })

  it.each([
    ['image/png', '', 'image/png'],
    ['image/svg+xml', '', 'image/svg+xml'],
    ['image/png', '?format=svg', 'image/png'],
    ['image/svg+xml', '?format=png', 'image/svg+xml'],
    ['image/*', '', 'image/svg+xml'],
    ['image/*', '?format=png', 'image/png'],
    ['image/svg+xml;q=0.5, image/png', '', 'image/png'],
    ['image/avif,image/webp,image/png,image/svg+xml,*/*;q=0.8', '?format=png', 'image/png'],
    ['application/json, image/png;q=0.5', '', 'application/json'],
    ['*/*', '?format=png', 'application/json'],
    ['application/pdf', '', 'application/pdf'],
    ['application/pdf', '?format=png', 'application/pdf'],
    ['image/*', '?format=pdf', 'image/svg+xml'],
    ['text/html', '', 'application/json'],
  ])('answers Accept: %s%s with %s', async (accept, query, type) => {
    const { status, headers, body, text } = await image(query, accept)
    const vary = type === 'application/json' ? 'accept, accept-encoding' : 'accept'
    expect([status, headers['content-type']?.split(';')[0], headers.vary]).toEqual([200, type, vary])
    if (type === 'application/json') expect(body.qr_code_image).toMatch(/^data:image/)
    if (type === 'image/svg+xml') expect(text).toMatch(/^<svg /)
    if (type === 'application/pdf') expect(text).toMatch(/^%PDF-1\.4\n/)
  })

  it.each([
    ['?size=63', 'size'],
    ['?size=4097', 'size'],
    ['?size=big', 'size'],
    ['?format=gif', 'format'],
  ])('answers 400 for %s', async (query, field) => {
    const { status, body } = await image(query)
    expect([status, body]).toEqual([400, refusedArgument(field, 'qr_codes')])
  })

  it('has the size that is asked for, at most 4096 pixels', async () => {
    for (const size of [128, 1024, 4096]) {
      const { body } = await image(`?format=png&size=${size}`)
      expect(widthOf(fromUri(body.qr_code_image))).toBe(size)
    }
    expect(widthOf(fromUri((await image('?format=png')).body.qr_code_image))).toBe(1024)
  })

  it('answers a PDF as a data URI', async () => {
    const { body } = await image('?format=pdf')
    expect(body.qr_code_image).toMatch(/^data:application\/pdf;base64,/)
    expect(fromUri(body.qr_code_image).toString('latin1')).toMatch(/^%PDF-1\.4\n/)
  })

  it('answers 400 for a PNG in which no scanner could read the code; SVG has any size', async () => {
    const { status, body } = await image('?format=png&size=64')
    expect([status, body]).toEqual([400, refusedArgument('size', 'qr_codes')])
    expect(body.description).toMatch(/Ask for at least \d+/)
    expect((await image('?format=svg&size=64')).status).toBe(200)
  })

  it('looks as the code is designed', async () => {
    const render_customizations = { dot_pattern_color: '#123456' }
    await started.request('PATCH', `/v4/qr-codes/${code.qrcode_id}`, { body: { render_customizations } })
    expect((await image('', 'image/svg+xml')).text).toContain('#123456')
  })

  it('answers 403, 404 and 410; readers may look', async () => {
    const path = `/v4/qr-codes/${code.qrcode_id}/image`
    expect((await started.request('GET', path, { token: stranger.token })).status).toBe(403)
    const token = await aMember(started, started.groupGuid, 'reader')
    expect((await started.request('GET', path, { token })).status).toBe(200)
    expect((await image('', undefined, 'Qnone')).status).toBe(404)
    const body = { group_guid: started.groupGuid, destination: { long_url: 'https://example.com/gone' } }
    const { qrcode_id: id } = (await started.request('POST', '/v4/qr-codes', { body })).body
    await started.request('DELETE', `/v4/qr-codes/${id}`)
    expect((await image('', undefined, id)).status).toBe(410)
  })
})

describe('a logo', () => {
  const upload = async (token?: string) =>
    (
      await started.request('POST', '/v4/images', {
        body: await png(),
        headers: { 'content-type': 'image/png' },
        ...(token !== undefined && { token }),
      })
    ).body.guid
  const create = (image_guid: string) =>
    started.request('POST', '/v4/qr-codes', {
      body: {
        group_guid: started.groupGuid,
        destination: { long_url: 'https://example.com/logo' },
        render_customizations: { logo: { image_guid } },
      },
    })
  const removeImage = async (guid: string) => (await started.request('DELETE', `/v4/images/${guid}`)).status

  it('is an image of the organization, which cannot be deleted while a code uses it', async () => {
    const guid = await upload()
    const { status, body } = await create(guid)
    expect([status, body.is_customized]).toEqual([201, true])
    const path = `/v4/qr-codes/${body.qrcode_id}`
    const { render_customizations } = (await started.request('GET', path)).body
    expect(render_customizations.logo).toEqual({ image_guid: guid })
    expect((await image('?format=png', undefined, body.qrcode_id)).status).toBe(200)
    expect(await removeImage(guid)).toBe(409)
    await started.request('PATCH', path, { body: { render_customizations: {} } })
    expect(await removeImage(guid)).toBe(204)
    expect((await create(guid)).status).toBe(400)
  })

  it('is free again when the code is deleted', async () => {
    const guid = await upload()
    const { body } = await create(guid)
    await started.request('DELETE', `/v4/qr-codes/${body.qrcode_id}`)
    expect(await removeImage(guid)).toBe(204)
  })

  it('of another organization is 400', async () => {
    const { status, body } = await create(await upload(stranger.token))
    expect([status, body]).toEqual([400, refusedArgument('render_customizations.logo.image_guid', 'qr_codes')])
  })
})

describe('POST /v4/qr-codes/static', () => {
  it('answers 200 with base64, SVG by default', async () => {
    const { status, body } = await draw({})
    expect(status).toBe(200)
    expect(Buffer.from(body.image, 'base64').toString()).toMatch(/^<svg /)
  })

  it.each([
    'Hello',
    'https://example.com/?a=1&b=2#c',
    'WIFI:T:WPA;S:café;P:secret;;',
    'Zeile eins\nZeile zwei',
    '日本語',
  ])('answers a PNG that scanners read as %j', async (content) => {
    for (const format of [{ format: 'png' }, {}]) {
      const { body } = await draw({ content, ...format }, undefined, 'format' in format ? '' : '?format=png')
      expect(await readQrCode(Buffer.from(body.image, 'base64'))).toBe(content)
    }
  })

  it('answers the picture itself by Accept', async () => {
    const { headers, text } = await draw({ render_customizations: { dot_pattern_color: '#123456' } }, 'image/svg+xml')
    expect(headers['content-type']).toBe('image/svg+xml')
    expect(text).toContain('#123456')
    for (const type of ['image/png', 'application/pdf'])
      expect((await draw({}, type)).headers['content-type']).toBe(type)
  })

  it('answers 406 NOT_ACCEPTABLE for other types', async () => {
    for (const accept of ['image/gif', 'text/html', 'application/xml', 'image/png;q=0']) {
      expect(await draw({}, accept)).toMatchObject({
        status: 406,
        body: { message: 'NOT_ACCEPTABLE', resource: 'qr_codes' },
      })
    }
  })

  it('keeps nothing', async () => {
    const list = async () => (await started.request('GET', `/v4/groups/${started.groupGuid}/qr-codes`)).body.qr_codes
    const count = async () =>
      (await started.request('GET', `/v4/groups/${started.groupGuid}/feature_usage?name=qr_codes`)).body.limit_usage[0]
        .count
    const before = [await list(), await count()]
    await draw({})
    expect([await list(), await count()]).toEqual(before)
  })

  it.each([
    ['no content', { content: '' }, 'content'],
    ['a content that is a number', { content: 7 }, 'content'],
    ['an unknown format', { format: 'gif' }, 'format'],
    ['a gradient', { gradient: { style: 'linear' } }, 'gradient'],
    ['a gradient behind it', { background_gradient: { style: 'linear' } }, 'background_gradient'],
    ['a frame', { frame: { id: 'arrow' } }, 'frame'],
    ['a text', { text: { center: { content: 'a' } } }, 'text'],
    ['a logo', { logo: { image_guid: 'I1234567890' } }, 'logo'],
    ['an unknown pattern', { dot_pattern_type: 'odd' }, 'dot_pattern_type'],
  ])('answers 400 for %s', async (_, fields, field) => {
    const isStyle = field !== 'content' && field !== 'format'
    const { status, body } = await draw(isStyle ? { render_customizations: fields } : fields)
    const path = isStyle ? `render_customizations.${field}` : field
    expect([status, body]).toEqual([400, refusedArgument(path, 'qr_codes')])
  })

  it('takes the design of a kept code, if what is not for static codes is as by default', async () => {
    const body = { group_guid: started.groupGuid, destination: { long_url: 'https://example.com/design' } }
    const { qrcode_id: id } = (await started.request('POST', '/v4/qr-codes', { body })).body
    const { render_customizations } = (await started.request('GET', `/v4/qr-codes/${id}`)).body
    expect(Object.keys(render_customizations)).toEqual(expect.arrayContaining(['gradient', 'frame', 'text']))
    expect((await draw({ render_customizations })).status).toBe(200)
  })

  it('answers 422 for a content that no code can hold', async () => {
    expect(await draw({ content: 'x'.repeat(5000) })).toMatchObject({
      status: 422,
      body: { message: 'UNPROCESSABLE_ENTITY', errors: [{ field: 'content' }] },
    })
  })

  it.each(unreadableBodies)('answers %s as unreadable', async (_, body, status) => {
    expect((await started.request('POST', '/v4/qr-codes/static', { body })).status).toBe(status)
  })

  it('answers 403 for the group of somebody else', async () => {
    expect((await draw({ group_guid: stranger.groupGuid })).status).toBe(403)
  })
})

describe('POST /v4/qr-codes/preview', () => {
  const content = 'https://sho.rt/3xYz12A?r=qr'
  const framed = { frame: { id: 'text_bottom' }, text: { top: { content: 'MENU', color: '#112233' } } }
  const preview = (fields: object, options: { accept?: string; token?: string; query?: string } = {}) =>
    started.request('POST', `/v4/qr-codes/preview${options.query ?? ''}`, {
      body: { group_guid: started.groupGuid, content, render_customizations: {}, ...fields },
      headers: options.accept === undefined ? {} : { accept: options.accept },
      ...(options.token !== undefined && { token: options.token }),
    })
  const logoOf = async (token = started.token) =>
    (
      await started.request('POST', '/v4/images', {
        body: await png(),
        headers: { 'content-type': 'image/png' },
        token,
      })
    ).body.guid

  it('answers 200 with the picture that a kept code with this design has', async () => {
    const render_customizations = { ...framed, logo: { image_guid: await logoOf() } }
    const body = { group_guid: started.groupGuid, destination: { long_url: 'https://example.com/p' } }
    const kept = (await started.request('POST', '/v4/qr-codes', { body: { ...body, render_customizations } })).body
    const { status, body: drawn } = await preview({ content: kept.serialized_content, render_customizations })
    expect(status).toBe(200)
    const { text } = await image('', 'image/svg+xml', kept.qrcode_id)
    expect(Buffer.from(drawn.image, 'base64').toString()).toBe(text)
  })

  it('answers a PNG that scanners read, by Accept and to readers too', async () => {
    const token = await aMember(started, started.groupGuid, 'reader')
    const { headers, bytes } = await preview(
      { render_customizations: framed },
      { accept: 'image/png', token, query: '?size=512' },
    )
    expect([headers['content-type'], headers.vary]).toEqual(['image/png', 'accept'])
    expect(await readQrCode(bytes)).toBe(content)
    expect((await preview({}, { accept: 'image/gif' })).status).toBe(406)
    expect((await preview({ content: 'a'.repeat(1024 * 1024) })).status).toBe(413)
  })

  it('answers 422 for a design that could not be scanned, with its path', async () => {
    expect(await preview({ render_customizations: { dot_pattern_color: '#eeeeee' } })).toMatchObject({
      status: 422,
      body: { errors: [{ field: 'render_customizations.dot_pattern_color' }] },
    })
  })

  it('answers 400 for an unknown value, no content, and the logo of another organization', async () => {
    const image_guid = await logoOf(stranger.token)
    const odd: [object, string][] = [
      [{ render_customizations: { frame: { id: 'odd' } } }, 'render_customizations.frame.id'],
      [{ render_customizations: { logo: { image_guid } } }, 'render_customizations.logo.image_guid'],
      [{ render_customizations: undefined }, 'render_customizations'],
      [{ content: '' }, 'content'],
      [{ group_guid: undefined }, 'group_guid'],
    ]
    for (const [fields, field] of odd) {
      const { status, body } = await preview(fields)
      expect([status, body]).toEqual([400, refusedArgument(field, 'qr_codes')])
    }
  })

  it('answers 403 for the group of somebody else', async () => {
    expect((await preview({ group_guid: stranger.groupGuid })).status).toBe(403)
  })

  it.each(unreadableBodies)('answers %s as unreadable', async (_, body, status) => {
    expect((await started.request('POST', '/v4/qr-codes/preview', { body })).status).toBe(status)
  })
})
