import ICAL from 'ical.js'
import { describe, expect, it } from 'vitest'
import { readQrCode } from '../support/read-qr-code.js'
import { useApp } from '../support/start-app.js'
import { refusedArgument } from './visits.js'

const started = useApp()

const draw = (content: unknown) =>
  started.request('POST', '/v4/qr-codes/static?format=png', { body: { group_guid: started.groupGuid, content } })

/** What a scanner reads. */
async function scanned(content: object): Promise<string> {
  const { status, body } = await draw(content)
  expect([status, body]).toEqual([200, { image: expect.any(String) }])
  return (await readQrCode(Buffer.from(body.image, 'base64'))) ?? 'nothing'
}

describe('the content of a static QR code', () => {
  it.each([
    ['a text', { text: 'Zeile eins\nZeile zwei' }, 'Zeile eins\nZeile zwei'],
    ['a URL', { url: 'HTTPS://Example.com/straße?a=1&b=%20#c' }, 'https://example.com/stra%C3%9Fe?a=1&b=%20#c'],
    ['a network', { wifi: { ssid: 'Café', password: 'geheim123' } }, 'WIFI:T:WPA;S:Café;P:geheim123;;'],
    ['an open network', { wifi: { ssid: 'Guests', security: 'none' } }, 'WIFI:T:nopass;S:Guests;;'],
    [
      'a hidden one',
      { wifi: { ssid: 'a', security: 'wep', password: '12345', hidden: true } },
      'WIFI:T:WEP;S:a;P:12345;H:true;;',
    ],
    [
      'a network with odd letters',
      { wifi: { ssid: '"a;b,c:d\\e"', password: 'p;a:s,s\\"1' } },
      String.raw`WIFI:T:WPA;S:\"a\;b\,c\:d\\e\";P:p\;a\:s\,s\\\"1;;`,
    ],
    ['an e-mail', { email: { address: 'ada+list@example.com' } }, 'mailto:ada%2Blist@example.com'],
    [
      'an e-mail with a text',
      { email: { address: 'ada@example.com', subject: 'A & B?', body: 'one\ntwo = 100% #1 + ü' } },
      'mailto:ada@example.com?subject=A%20%26%20B%3F&body=one%0D%0Atwo%20%3D%20100%25%20%231%20%2B%20%C3%BC',
    ],
    ['a phone number', { phone: '+49 (30) 123-456.7' }, 'tel:+49301234567'],
    ['a short number', { phone: '112' }, 'tel:112'],
    [
      'a message',
      { sms: { number: '+49 30 1234567', message: 'Code: 7; yes,\nno?' } },
      'SMSTO:+49301234567:Code: 7; yes,\nno?',
    ],
    ['an empty message', { sms: { number: '22444' } }, 'SMSTO:22444'],
    ['a place', { geo: { latitude: 52.5162746, longitude: -13.377 } }, 'geo:52.516275,-13.377'],
    ['a place near zero', { geo: { latitude: 1e-7, longitude: -0.0000001 } }, 'geo:0,0'],
    ['the end of the world', { geo: { latitude: -90, longitude: 180 } }, 'geo:-90,180'],
  ])('may be %s', async (_, content, text) => {
    expect(await scanned(content)).toBe(text)
  })

  it('may be a contact, which a vCard parser reads', async () => {
    const text = await scanned({
      v_card: {
        first_name: 'Ada, the 1st',
        last_name: 'Love;lace',
        organization: 'Babbage; Sons, Ltd \\ Co',
        job_title: 'Mathématicienne',
        mobile: '+44 20 7946 0000',
        work_phone: '030/1234',
        email: 'ada@example.com',
        url: 'https://example.com/?a=1,2;3',
        address: { street: '12; St James, Square', city: 'London', postal_code: 'SW1Y 4JH', country: 'UK' },
        note: 'one\r\ntwo, three',
      },
    })
    expect(text).toMatch(/^BEGIN:VCARD\r\nVERSION:3.0\r\n/)
    const card = new ICAL.Component(ICAL.parse(text) as unknown[])
    const value = (name: string) => card.getFirstPropertyValue(name)
    expect(value('n')).toEqual(['Love;lace', 'Ada, the 1st', '', '', ''])
    expect(value('title')).toBe('Mathématicienne')
    expect(value('email')).toBe('ada@example.com')
    expect(value('url')).toBe('https://example.com/?a=1,2;3')
    expect(value('adr')).toEqual(['', '', '12; St James, Square', 'London', '', 'SW1Y 4JH', 'UK'])
    expect(value('note')).toBe('one\ntwo, three')
    // The parser leaves escaped semicolons alone where a value has no parts.
    const written = [String.raw`FN:Ada\, the 1st Love\;lace`, String.raw`ORG:Babbage\; Sons\, Ltd \\ Co`]
    expect(text.split('\r\n')).toEqual(expect.arrayContaining(written))
    const phones = card.getAllProperties('tel').map((tel) => [tel.getParameter('type'), tel.getFirstValue()])
    expect(phones).toEqual([
      ['CELL', '+442079460000'],
      ['WORK', '0301234'],
    ])
  })

  it('may be an organization', async () => {
    expect(await scanned({ v_card: { organization: 'ACME' } })).toBe(
      'BEGIN:VCARD\r\nVERSION:3.0\r\nN:;;;;\r\nFN:ACME\r\nORG:ACME\r\nEND:VCARD\r\n',
    )
  })

  describe('may be an event', () => {
    const event = async (fields: object) => {
      const text = await scanned({ event: { title: 'Party', ...fields } })
      const calendar = new ICAL.Component(ICAL.parse(text) as unknown[])
      const component = calendar.getFirstSubcomponent('vevent')
      if (!component) throw new Error('no event')
      return { text, calendar, component, read: new ICAL.Event(component) }
    }

    it('which a calendar parser reads', async () => {
      const fields = {
        title: 'Lunch; tea, cake \\ ü',
        start: '2026-12-24T18:00:00+0100',
        end: '2026-12-24T22:30:00+0100',
        location: 'Room 1, Berlin',
        description: 'Bring:\n- a friend; two',
        url: 'https://example.com/?a=1,2;3',
      }
      const { calendar, component, read } = await event(fields)
      expect(calendar.getFirstPropertyValue('version')).toBe('2.0')
      expect(calendar.getFirstPropertyValue('prodid')).toBeTruthy()
      expect([read.summary, read.location, read.description]).toEqual([
        fields.title,
        fields.location,
        fields.description,
      ])
      expect(component.getFirstPropertyValue('url')).toBe(fields.url)
      expect(read.startDate.toJSDate()).toEqual(new Date('2026-12-24T17:00:00Z'))
      expect(read.endDate.toJSDate()).toEqual(new Date('2026-12-24T21:30:00Z'))
      expect([read.uid, component.getFirstPropertyValue('dtstamp')]).toEqual([
        expect.stringMatching(/^[0-9a-f]{16}$/),
        expect.anything(),
      ])
    })

    it('of whole days, to the end of the last one', async () => {
      const { read } = await event({ start: '2026-12-30', end: '2026-12-31' })
      expect([read.startDate.isDate, read.startDate.toString(), read.endDate.toString()]).toEqual([
        true,
        '2026-12-30',
        '2027-01-01',
      ])
    })

    it('which stays the same entry when it is scanned again', async () => {
      const one = await event({ start: '2026-12-30' })
      expect((await event({ start: '2026-12-30' })).text).toBe(one.text)
      expect((await event({ start: '2026-12-31' })).read.uid).not.toBe(one.read.uid)
    })
  })

  it.each([
    ['nothing', {}, 'content'],
    ['two kinds', { phone: '112', text: 'a' }, 'content'],
    ['an unknown kind', { vcard: {} }, 'content'],
    ['a number', 7, 'content'],
    ['a list', ['a'], 'content'],
    ['a text that is a number', { text: 7 }, 'content.text'],
    ['half a character', '\ud800', 'content'],
    ['a text with half a character', { text: 'a\udc00b' }, 'content.text'],
    ['a URL of another scheme', { url: 'javascript:alert(1)' }, 'content.url'],
    ['a network without a name', { wifi: {} }, 'content.wifi.ssid'],
    ['a network with an empty name', { wifi: { ssid: '' } }, 'content.wifi.ssid'],
    ['a name of 33 bytes', { wifi: { ssid: `${'é'.repeat(16)}a`, security: 'none' } }, 'content.wifi.ssid'],
    ['a network without a password', { wifi: { ssid: 'a' } }, 'content.wifi.password'],
    ['a password that is too short', { wifi: { ssid: 'a', password: '1234567' } }, 'content.wifi.password'],
    [
      'a WEP key of another length',
      { wifi: { ssid: 'a', security: 'wep', password: '123456' } },
      'content.wifi.password',
    ],
    [
      'a password of an open network',
      { wifi: { ssid: 'a', security: 'none', password: '12345678' } },
      'content.wifi.password',
    ],
    ['an unknown security', { wifi: { ssid: 'a', security: 'wpa9', password: '12345678' } }, 'content.wifi.security'],
    ['a contact without a name', { v_card: { email: 'ada@example.com' } }, 'content.v_card'],
    ['a name with a line break', { v_card: { first_name: 'a\nb' } }, 'content.v_card.first_name'],
    ['a number that is none', { v_card: { first_name: 'a', work_phone: 'call me' } }, 'content.v_card.work_phone'],
    [
      'a long street',
      { v_card: { first_name: 'a', address: { street: 'x'.repeat(256) } } },
      'content.v_card.address.street',
    ],
    [
      'a postal code that is a number',
      { v_card: { first_name: 'a', address: { postal_code: 1 } } },
      'content.v_card.address.postal_code',
    ],
    ['an e-mail without an address', { email: { subject: 'a' } }, 'content.email.address'],
    ['an address that is none', { email: { address: 'ada' } }, 'content.email.address'],
    [
      'a subject with a line break',
      { email: { address: 'a@b.example', subject: 'a\r\nBcc: c@d.example' } },
      'content.email.subject',
    ],
    ['a code that phones run', { phone: '*#06#' }, 'content.phone'],
    ['a message to nobody', { sms: { message: 'a' } }, 'content.sms.number'],
    ['a message with a NUL', { sms: { number: '112', message: 'a\0b' } }, 'content.sms.message'],
    ['a place beyond the pole', { geo: { latitude: 90.1, longitude: 0 } }, 'content.geo.latitude'],
    ['a place without a longitude', { geo: { latitude: 1 } }, 'content.geo.longitude'],
    ['an event without a title', { event: { start: '2026-12-24' } }, 'content.event.title'],
    ['an event at no time', { event: { title: 'a', start: 'soon' } }, 'content.event.start'],
    ['February 30', { event: { title: 'a', start: '2026-02-30' } }, 'content.event.start'],
    [
      'an event that ends first',
      { event: { title: 'a', start: '2026-12-24', end: '2026-12-23' } },
      'content.event.end',
    ],
    [
      'a day and a time',
      { event: { title: 'a', start: '2026-12-24', end: '2026-12-24T20:00:00+0000' } },
      'content.event.end',
    ],
  ])('is not %s', async (_, content, field) => {
    const { status, body } = await draw(content)
    expect([status, body]).toEqual([400, refusedArgument(field, 'qr_codes')])
  })

  it('is not half a character in a preview either', async () => {
    const { status, body } = await started.request('POST', '/v4/qr-codes/preview', {
      body: { group_guid: started.groupGuid, content: '\ud800', render_customizations: {} },
    })
    expect([status, body]).toEqual([400, refusedArgument('content', 'qr_codes')])
  })

  it('must fit into a code', async () => {
    const { status, body } = await draw({ text: 'é'.repeat(1500) })
    expect([status, body.message, body.errors]).toEqual([
      422,
      'UNPROCESSABLE_ENTITY',
      [{ field: 'content', error_code: 'invalid' }],
    ])
  })

  it('may have empty strings and nulls for what is left out', async () => {
    const wifi = { ssid: 'a', security: 'none', password: '', hidden: null }
    expect(await scanned({ wifi, text: null, url: '' })).toBe('WIFI:T:nopass;S:a;;')
  })
})
