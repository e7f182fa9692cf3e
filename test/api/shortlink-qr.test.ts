import { beforeAll, describe, expect, it } from 'vitest'
import { operator } from '../../src/core/accounts/actor.js'
import { operate } from '../../src/core/administration/operations.js'
import { plansFile } from '../support/plans-file.js'
import { readQrCode } from '../support/read-qr-code.js'
import { useApp } from '../support/start-app.js'
import { aMember, aStranger, type Someone } from './alter-records.js'
import { firstOrganization } from './organize.js'
import { refusedArgument } from './visits.js'

const plans = plansFile({ bare: { features: [] }, none: { limits: { qr_codes: 0 } } })

const started = useApp({ plans })
let stranger: Someone
beforeAll(async () => {
  stranger = await aStranger(started)
})

let made = 0
async function aLink(): Promise<string> {
  const body = { long_url: `https://example.com/older/${made++}` }
  return (await started.request('POST', '/v4/shortlinks', { body })).body.id
}
type Method = 'GET' | 'POST' | 'PATCH'
const ask = (method: Method, id: string, body?: unknown, token?: string) =>
  started.request(method, `/v4/shortlinks/${id}/qr`, {
    ...(method !== 'GET' && { body: body ?? {} }),
    ...(token !== undefined && { token }),
  })
const pictureIn = (uri: string) => Buffer.from(uri.slice(uri.indexOf(',') + 1), 'base64')

describe('/v4/shortlinks/{shortlink}/qr', () => {
  it('GET answers a plain picture of a link without codes, and stores nothing', async () => {
    const id = await aLink()
    const { status, body } = await ask('GET', id)
    expect([status, body]).toEqual([
      200,
      {
        qr_code: expect.stringMatching(/^data:image\/png;base64,/),
        link: `http://${id}`,
        group_guid: started.groupGuid,
        has_stored: false,
        is_customized: false,
        is_hidden: false,
      },
    ])
    expect(await readQrCode(pictureIn(body.qr_code))).toBe(`http://${id}?r=qr`)
    expect((await started.request('GET', `/v4/shortlinks/${id}`)).body.qr_code_ids).toEqual([])
  })

  it('GET takes a color and a format for the picture', async () => {
    const id = await aLink()
    const { body } = await started.request('GET', `/v4/shortlinks/${id}/qr?color=1133ff&image_format=svg`)
    expect(body.qr_code).toMatch(/^data:image\/svg\+xml;base64,/)
    expect(pictureIn(body.qr_code).toString()).toContain('#1133ff')
  })

  it('GET answers a PDF for print', async () => {
    const { body } = await started.request('GET', `/v4/shortlinks/${await aLink()}/qr?image_format=pdf`)
    expect(body.qr_code).toMatch(/^data:application\/pdf;base64,/)
  })

  it('POST answers 201 with a code of the link, which GET and the list of codes show', async () => {
    const id = await aLink()
    const { status, body } = await ask('POST', id, {
      color: '1133ff',
      exclude_shortlink_logo: true,
      image_format: 'svg',
    })
    expect([status, body.has_stored, body.is_customized]).toEqual([201, true, true])
    expect(pictureIn(body.qr_code).toString()).toContain('#1133ff')
    const read = (await ask('GET', id)).body
    expect(read).toMatchObject({ id: body.id, has_stored: true, created: body.created })
    const code = (await started.request('GET', `/v4/qr-codes/${body.id}`)).body
    expect(code).toMatchObject({ shortlink_id: id, render_customizations: { dot_pattern_color: '#1133ff' } })
  })

  it('PATCH changes the newest code and keeps the rest', async () => {
    const id = await aLink()
    const { body: before } = await ask('POST', id, { color: '#1133FF' })
    const { status, body } = await ask('PATCH', id, { is_hidden: true })
    expect([status, body.id, body.is_hidden]).toEqual([200, before.id, true])
    await ask('PATCH', id, { color: '112233' })
    const code = (await started.request('GET', `/v4/qr-codes/${before.id}`)).body
    expect(code).toMatchObject({ archived: true, render_customizations: { dot_pattern_color: '#112233' } })
  })

  it('PATCH answers 404 for a link without codes', async () => {
    expect(await ask('PATCH', await aLink(), {})).toMatchObject({ status: 404, body: { resource: 'qr_codes' } })
  })

  it('answers 400, 403, 404, 410 and 422', async () => {
    const id = await aLink()
    await ask('POST', id)
    for (const [fields, field] of [
      [{ color: 'red' }, 'color'],
      [{ image_format: 'gif' }, 'image_format'],
      [{ logo_image_guid: 'I1234567890' }, 'render_customizations.logo.image_guid'],
    ] as const) {
      for (const method of ['POST', 'PATCH'] as const) {
        const { status, body } = await ask(method, id, fields)
        expect([status, { ...body, resource: '' }]).toEqual([400, refusedArgument(field, '')])
      }
    }
    expect((await started.request('GET', `/v4/shortlinks/${id}/qr?color=red`)).status).toBe(400)
    const reader = await aMember(started, started.groupGuid, 'reader')
    expect((await ask('GET', id, undefined, reader)).status).toBe(200)
    const gone = await aLink()
    await started.request('DELETE', `/v4/shortlinks/${gone}`)
    for (const method of ['GET', 'POST', 'PATCH'] as const) {
      expect((await ask(method, id, {}, stranger.token)).status).toBe(403)
      if (method !== 'GET') expect((await ask(method, id, {}, reader)).status).toBe(403)
      expect((await ask(method, `${started.domain}/none`)).status).toBe(404)
      expect((await ask(method, gone)).status).toBe(410)
      if (method !== 'GET') expect((await ask(method, id, '[]')).status).toBe(422)
    }
  })

  it('POST answers 402 and 429 by the plan', async () => {
    const organizationGuid = await firstOrganization(started)
    const give = (plan: string) => operate(started.app, operator, 'setPlan', { organizationGuid, plan, force: true })
    const id = await aLink()
    await give('bare')
    expect((await ask('POST', id)).status).toBe(402)
    await give('none')
    expect((await ask('POST', id)).status).toBe(429)
    await give('unlimited')
  })
})
