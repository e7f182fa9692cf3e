import { describe, expect, it } from 'vitest'
import { readQrCode } from '../support/read-qr-code.js'
import { useApp } from '../support/start-app.js'
import { agents, refusedArgument } from './visits.js'

const started = useApp()

const gtin = { key: '01', value: '9506000134352' }
const lot = { key: '10', value: 'A/1' }
const expiry = { key: '17', value: '271231' }

const longUrl = 'https://example.com/product'
const create = (values: readonly object[], destination: object = { long_url: longUrl }) =>
  started.request('POST', '/v4/qr-codes', {
    body: { group_guid: started.groupGuid, destination, gs1: { values } },
  })
const read = async (id: string) => (await started.request('GET', `/v4/qr-codes/${id}`)).body
/** Follows a URL of the service as a phone does. */
const open = (url: string, method = 'GET') => {
  const { pathname, search } = new URL(url)
  return started.request(method, pathname + search, { token: null, headers: { 'user-agent': agents.phone } })
}
async function scansOf(id: string): Promise<number> {
  await started.clicksCounted()
  return (await started.request('GET', `/v4/qr-codes/${id}/scans/summary?unit=day&units=1`)).body.total_scans
}

describe('a QR code with GS1 values', () => {
  it('answers the values in canonical form, and a Digital Link as its content', async () => {
    const { status, body } = await create([expiry, lot, gtin])
    expect([status, body.is_gs1]).toEqual([201, true])
    const link = `http://${body.shortlink_id}/01/09506000134352/10/A%2F1?17=271231&r=qr`
    expect(body.serialized_content).toBe(link)
    const details = await read(body.qrcode_id)
    expect(details.gs1).toEqual({ values: [{ ...gtin, value: '09506000134352' }, lot, expiry] })
    expect(details.serialized_content).toBe(link)
  })

  it('is scanned: the printed address leads on, and counts', async () => {
    const { body } = await create([gtin, lot, expiry])
    const image = await started.request('GET', `/v4/qr-codes/${body.qrcode_id}/image?size=512`, {
      headers: { accept: 'image/png' },
    })
    const printed = (await readQrCode(image.bytes)) ?? ''
    expect(printed).toBe(body.serialized_content)
    for (const method of ['GET', 'HEAD']) {
      const { status, headers } = await open(printed, method)
      expect([status, headers.location]).toEqual([301, longUrl])
    }
    expect(await scansOf(body.qrcode_id)).toBe(1)
    // Resolvers and tills add and remove what they like.
    for (const url of [`http://${body.shortlink_id}`, printed.replace('r=qr', 'linkType=gs1:pip&r=qr')]) {
      expect((await open(url)).headers.location).toBe(longUrl)
    }
    expect(await scansOf(body.qrcode_id)).toBe(2)
  })

  it('may lead through a short link, by its custom back-half too', async () => {
    const link = (await started.request('POST', '/v4/shorten', { body: { long_url: 'https://example.com/gs1' } })).body
    const custom = `${started.domain}/milk`
    await started.request('POST', '/v4/shortlinks', { body: { shortlink_id: link.id, keyword: 'milk' } })
    for (const shortlink_id of [link.id, custom]) {
      const made = (await create([gtin], { shortlink_id })).body
      expect(made.serialized_content).toBe(`http://${shortlink_id}/01/09506000134352?r=qr`)
      expect((await open(made.serialized_content)).headers.location).toBe('https://example.com/gs1')
    }
  })

  it('has no other address: only numbers of identifiers may follow', async () => {
    const { body } = await create([gtin])
    const address = `http://${body.shortlink_id}`
    for (const rest of ['/01', '/gtin/09506000134352', '/01/09506000134352/more', '/1/2', '/01//10/a']) {
      expect([rest, (await open(address + rest)).status]).toEqual([rest, 404])
    }
    expect((await open(`http://${started.domain}/unknown/01/09506000134352`)).status).toBe(404)
  })

  it('keeps them when it is changed, also by several at once and sent back whole', async () => {
    const { body } = await create([gtin, lot])
    const path = `/v4/qr-codes/${body.qrcode_id}`
    const before = await read(body.qrcode_id)
    const other = { values: [{ key: '01', value: '40170725' }] }
    const answers = await Promise.all(
      [{ ...before, title: 'Milk' }, { tags: ['dairy'] }, { archived: true, gs1: other }].map((change) =>
        started.request('PATCH', path, { body: change }),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    const after = await read(body.qrcode_id)
    expect([after.gs1, after.serialized_content]).toEqual([before.gs1, before.serialized_content])
  })

  it('is listed by is_gs1', async () => {
    const { body } = await create([gtin])
    const list = async (query: string) =>
      (await started.request('GET', `/v4/groups/${started.groupGuid}/qr-codes?is_gs1=${query}`)).body.qr_codes.map(
        ({ qrcode_id }: { qrcode_id: string }) => qrcode_id,
      )
    expect(await list('on')).toContain(body.qrcode_id)
    expect(await list('off')).not.toContain(body.qrcode_id)
    expect((await create([])).body.is_gs1).toBe(false)
  })

  it.each([
    ['a wrong check digit', [{ ...gtin, value: '9506000134353' }], 'gs1.values.0.value'],
    ['a wrong date', [gtin, { ...expiry, value: '271332' }], 'gs1.values.1.value'],
    ['an unknown identifier', [gtin, { key: '7777', value: '1' }], 'gs1.values.1.key'],
    ['no primary key', [lot], 'gs1.values'],
    ['a value that is a number', [{ key: '01', value: 9506000134352 }], 'gs1.values'],
  ])('answers 400 for %s, and makes nothing', async (_, values, field) => {
    const count = async () =>
      (await started.request('GET', `/v4/groups/${started.groupGuid}/qr-codes`)).body.qr_codes.length
    const before = await count()
    const { status, body } = await create(values)
    expect([status, body]).toEqual([400, refusedArgument(field, 'qr_codes')])
    expect(await count()).toBe(before)
  })
})
