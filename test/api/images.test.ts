import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { beforeAll, describe, expect, it } from 'vitest'
import { chunk, jpeg, png, rawPng, repeatingSvg, svg, webp } from '../support/pictures.js'
import { type Answer, useApp } from '../support/start-app.js'
import { alterRecords, aMember, aStranger } from './alter-records.js'
import { organize } from './organize.js'

const mebibyte = 1024 * 1024

describe('images', () => {
  const started = useApp()
  let reader: string
  beforeAll(async () => {
    reader = await aMember(started, started.groupGuid, 'reader')
  })

  /** As a raw body. */
  function send(bytes: Buffer | string, type: string, query = '', token?: string | null): Promise<Answer> {
    return started.request('POST', `/v4/images${query}`, {
      body: bytes,
      headers: { 'content-type': type },
      ...(token !== undefined && { token }),
    })
  }

  /** As a form. */
  function sendForm(fields: Readonly<Record<string, string | Part>>, token?: string): Promise<Answer> {
    const { body, type } = form(fields)
    return started.request('POST', '/v4/images', {
      body,
      headers: { 'content-type': type },
      ...(token !== undefined && { token }),
    })
  }

  const fileOf = (guid: string, headers = {}) =>
    started.request('GET', `/v4/images/${guid}/file`, { token: null, headers })

  async function storedFile(bytes: Buffer | string, type: string): Promise<Buffer> {
    const { status, body } = await send(bytes, type)
    expect([status, body.description]).toEqual([201, undefined])
    return (await fileOf(body.guid)).bytes
  }

  function expectRefused(answer: Answer, status: number, message: string, field: string | null = 'file'): void {
    expect([answer.status, answer.body.message]).toEqual([status, message])
    expect(answer.body).toMatchObject({ resource: 'images', description: expect.any(String) })
    expect(answer.body.errors).toEqual(field === null ? undefined : [{ field, error_code: 'invalid' }])
  }

  describe('POST /v4/images', () => {
    it('answers 201 with the image that was sent as a raw body', async () => {
      const { status, body } = await send(await png(), 'image/png', `?group_guid=${started.groupGuid}&name=Our%20logo`)
      expect(status).toBe(201)
      expect(body).toEqual({
        references: {
          group: `http://${started.domain}/v4/groups/${started.groupGuid}`,
          file: `http://${started.domain}/v4/images/${body.guid}/file`,
        },
        guid: expect.stringMatching(/^I[0-9A-Za-z]{22}$/),
        group_guid: started.groupGuid,
        name: 'Our logo',
        mime_type: 'image/png',
        width: 40,
        height: 30,
        bytes: expect.any(Number),
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        created: expect.stringMatching(/\+0000$/),
        created_by: 'admin',
      })
      const { bytes } = await fileOf(body.guid)
      expect(bytes).toHaveLength(body.bytes)
      expect(createHash('sha256').update(bytes).digest('hex')).toBe(body.sha256)
    })

    it('answers 201 with the image that was sent in a form', async () => {
      const { status, body } = await sendForm({
        group_guid: started.groupGuid,
        name: 'Grüße',
        file: { bytes: await jpeg(), type: 'image/jpeg', filename: 'a "strange" name.jpg' },
      })
      expect(status).toBe(201)
      expect(body).toMatchObject({ group_guid: started.groupGuid, name: 'Grüße', mime_type: 'image/jpeg', width: 40 })
    })

    it.each([
      ['image/png', () => png(7, 5), 'png'],
      ['image/jpeg', () => jpeg(7, 5), 'jpeg'],
      ['image/webp', () => webp(7, 5), 'webp'],
    ] as const)('keeps a picture of the type %s as it looks', async (type, make, format) => {
      const sent = await make()
      const stored = await storedFile(sent, type)
      expect(await sharp(stored).metadata()).toMatchObject({ format, width: 7, height: 5 })
      const [before, after] = await Promise.all([sent, stored].map((bytes) => sharp(bytes).raw().toBuffer()))
      const differences = [...(before ?? [])].map((value, index) => Math.abs(value - (after?.[index] ?? -1000)))
      expect(Math.max(...differences)).toBeLessThan(12)
    })

    it('keeps a PNG and a lossless WebP exactly', async () => {
      const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const
      const picture = sharp({ create: { width: 60, height: 60, channels: 3, background: 'white', noise } })
      for (const [type, sent] of [
        ['image/png', await picture.clone().png().toBuffer()],
        ['image/webp', await picture.clone().webp({ lossless: true }).toBuffer()],
      ] as const) {
        const stored = await storedFile(sent, type)
        expect(await sharp(stored).raw().toBuffer()).toEqual(await sharp(sent).raw().toBuffer())
      }
    })

    it('keeps the shapes of an SVG', async () => {
      const { status, body } = await send(svg(), 'image/svg+xml; charset=utf-8')
      expect(status).toBe(201)
      expect(body).toMatchObject({ mime_type: 'image/svg+xml', width: 20, height: 10 })
      const { text } = await fileOf(body.guid)
      expect(text).toMatch(/^<svg [^>]*width="20" height="10"/)
      expect(text).toContain('fill="#cc3300"')
    })

    it('keeps gradients, masks, patterns, clips, filters and blending', async () => {
      const sent = svg(
        `<defs><linearGradient id="l"><stop stop-color="red"/><stop offset="1" stop-color="#00f"/></linearGradient>
          <radialGradient id="r" xlink:href="#l"/><clipPath id="c"><circle cx="5" cy="5" r="5"/></clipPath>
          <mask id="m"><rect width="9" height="9" fill="white"/></mask>
          <pattern id="p" width="2" height="2" patternUnits="userSpaceOnUse"><rect width="1" height="1"/></pattern>
          <filter id="f"><feGaussianBlur stdDeviation="1"/><feOffset dx="1"/></filter></defs>
        <style>.a { fill: url(#l); opacity: .9 } #b { mix-blend-mode: multiply; isolation: isolate }</style>
        <rect class="a" width="9" height="9"/><g id="b"><rect fill="url(#r)" width="9" height="9" clip-path="url(#c)"/></g>
        <rect fill="url(#p)" width="9" height="9" mask="url(#m)"/><path d="M0 0H9V9Z" filter="url(#f)"/>`,
      )
      const stored = (await storedFile(sent, 'image/svg+xml')).toString()
      for (const kept of ['linearGradient', 'radialGradient', 'clipPath', 'mask', 'pattern', 'feOffset', 'multiply']) {
        expect(stored).toContain(kept)
      }
    })

    it('tells the type of a file that was sent as application/octet-stream', async () => {
      const file = { bytes: await webp(), type: 'application/octet-stream', filename: 'logo.webp' }
      expect((await sendForm({ file })).body).toMatchObject({ mime_type: 'image/webp', name: '' })
    })

    it('takes the default group when none is named, or an empty one', async () => {
      const file = { bytes: await png(), type: 'image/png', filename: 'a.png' }
      expect((await sendForm({ file, group_guid: '', name: '' })).body).toMatchObject({
        group_guid: started.groupGuid,
        name: '',
      })
      expect((await send(await png(), 'image/png', '?group_guid=')).body.group_guid).toBe(started.groupGuid)
    })

    it('stores the same picture once, for two images', async () => {
      const sent = await png(33, 34)
      const [one, two] = [await send(sent, 'image/png'), await send(sent, 'image/png', '?name=again')]
      expect(one.body.guid).not.toBe(two.body.guid)
      expect(one.body.sha256).toBe(two.body.sha256)
      expect(blobsOf(one.body.sha256)).toHaveLength(1)
    })

    it('answers 403 to readers, strangers and people without a token, whatever they send', async () => {
      const picture = await png()
      expect((await send(picture, 'image/png', `?group_guid=${started.groupGuid}`, reader)).status).toBe(403)
      expect((await send('nonsense', 'image/png', `?group_guid=${started.groupGuid}`, reader)).status).toBe(403)
      const file = { bytes: picture, type: 'image/png', filename: 'a.png' }
      expect((await sendForm({ file, group_guid: started.groupGuid }, reader)).status).toBe(403)
      const stranger = await aStranger(started)
      const answer = await sendForm({ file, group_guid: started.groupGuid }, stranger.token)
      expect([answer.status, answer.body.message]).toEqual([403, 'FORBIDDEN'])
      expect((await send(picture, 'image/png', '', null)).status).toBe(403)
    })

    it('answers 400 without a file, and to a name that cannot be one', async () => {
      expectRefused(await sendForm({ name: 'x' }), 400, 'INVALID_ARG_FILE')
      expectRefused(await sendForm({ file: 'text and no file' }), 400, 'INVALID_ARG_FILE')
      expectRefused(await send('', 'image/png'), 400, 'INVALID_ARG_FILE')
      expectRefused(await send(await png(), 'image/png', `?name=${'x'.repeat(256)}`), 400, 'INVALID_ARG_NAME', 'name')
      const file = { bytes: await png(), type: 'image/png', filename: 'a.png' }
      expectRefused(await sendForm({ file, name: 'a\u0000b' }), 400, 'INVALID_ARG_NAME', 'name')
    })

    it('answers 415 to bodies of other types', async () => {
      for (const type of ['image/gif', 'text/html', 'application/json', 'application/octet-stream', 'image/tiff']) {
        expectRefused(await send(await png(), type), 415, 'UNSUPPORTED_MEDIA_TYPE', null)
      }
    })

    it('answers 422 to a form that cannot be read', async () => {
      for (const [body, type] of [
        ['no form', 'multipart/form-data; boundary=x'],
        ['--x\r\nbroken', 'multipart/form-data; boundary=x'],
        ['--x\r\n\r\n\r\n--x--', 'multipart/form-data'],
      ] as const) {
        expectRefused(await send(body, type), 422, 'UNPROCESSABLE_ENTITY', null)
      }
    })

    it('answers 413 also to clients that send all of a file before they read', async () => {
      const body = Buffer.alloc(12 * mebibyte)
      const head = [
        'POST /v4/images HTTP/1.1',
        `Host: ${started.domain}`,
        `Authorization: Bearer ${started.token}`,
        'Content-Type: image/png',
        `Content-Length: ${body.length}`,
      ]
      const socket = connect(Number(new URL(started.url).port), '127.0.0.1')
      socket.pause()
      await new Promise<void>((resolve, reject) => {
        socket.once('error', reject)
        socket.write(`${head.join('\r\n')}\r\n\r\n`)
        socket.write(body, () => resolve())
      })
      const read = once(socket, 'data')
      socket.resume()
      const [answer] = (await read) as [Buffer]
      expect(answer.toString()).toMatch(/^HTTP\/1.1 413 /)
      socket.destroy()
    })

    it('answers 413 to a file of more than 5 MiB, in a form and raw', async () => {
      const much = Buffer.concat([await png(), Buffer.alloc(5 * mebibyte)])
      expectRefused(await send(much, 'image/png'), 413, 'PAYLOAD_TOO_LARGE')
      const file = { bytes: much, type: 'image/png', filename: 'a.png' }
      expectRefused(await sendForm({ file }), 413, 'PAYLOAD_TOO_LARGE')
      const far = await send(Buffer.alloc(7 * mebibyte), 'image/png')
      expect([far.status, far.body.message]).toEqual([413, 'PAYLOAD_TOO_LARGE'])
      expect(far.body.description).toContain('5 MiB')
    })

    it('takes one of just under 5 MiB', async () => {
      const picture = await png()
      const padded = Buffer.concat([picture, Buffer.alloc(5 * mebibyte - picture.length)])
      expect((await send(padded, 'image/png')).status).toBe(201)
      const file = { bytes: padded, type: 'image/png', filename: 'a.png' }
      expect((await sendForm({ file })).status).toBe(201)
    })

    it('answers 400 when the group has 1,000 images', async () => {
      const full = await organize(started).group('Full')
      const { body } = await send(await png(), 'image/png', `?group_guid=${full}`)
      await alterRecords(
        started,
        `insert into images (guid, group_guid, sha256, mime_type, width, height, size, name, created_at, created_by)
         with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 999)
         select 'Ifull' || n, group_guid, sha256, mime_type, width, height, size, name, created_at, created_by
         from images, numbers where guid = ?`,
        body.guid,
      )
      const answer = await send(await png(), 'image/png', `?group_guid=${full}`)
      expectRefused(answer, 400, 'INVALID_ARG_GROUP_GUID', 'group_guid')
      expect(answer.body.description).toContain('1,000')
      await started.request('DELETE', '/v4/images/Ifull7')
      expect((await send(await png(), 'image/png', `?group_guid=${full}`)).status).toBe(201)
    })
  })

  describe('a hostile picture', () => {
    it.each([
      ['a JPEG sent as PNG', 'image/png', () => jpeg()],
      ['a PNG sent as JPEG', 'image/jpeg', () => png()],
      ['an SVG sent as PNG', 'image/png', async () => Buffer.from(svg())],
      ['a PNG sent as SVG', 'image/svg+xml', () => png()],
      [
        'a GIF sent as PNG',
        'image/png',
        () =>
          sharp(rawPng(2, 2, Buffer.alloc(6)))
            .gif()
            .toBuffer(),
      ],
      ['a page sent as SVG', 'image/svg+xml', async () => Buffer.from(`<html><body>${svg()}</body></html>`)],
      ['a page sent as PNG', 'image/png', async () => Buffer.from('<script>alert(1)</script>')],
      ['a packed SVG', 'image/svg+xml', async () => Buffer.from('1f8b0800', 'hex')],
      ['an SVG in UTF-16', 'image/svg+xml', async () => Buffer.from(`\ufeff${svg()}`, 'utf16le')],
    ])('is refused with 415 when its bytes are of another type: %s', async (_what, type, make) => {
      const bytes = await make()
      expectRefused(await send(bytes, type), 415, 'UNSUPPORTED_MEDIA_TYPE')
      expectRefused(await sendForm({ file: { bytes, type, filename: 'x' } }), 415, 'UNSUPPORTED_MEDIA_TYPE')
    })

    it('is refused with 422 when its header says more than 16 megapixels, before any pixel is unpacked', async () => {
      const bomb = rawPng(60_000, 60_000, Buffer.alloc(1000))
      const answer = await send(bomb, 'image/png')
      expectRefused(answer, 422, 'UNPROCESSABLE_ENTITY')
      expect(answer.body.description).toContain('16 megapixels')
      expectRefused(await send(rawPng(4097, 4096, Buffer.alloc(1000)), 'image/png'), 422, 'UNPROCESSABLE_ENTITY')
    })

    it('is accepted up to 16 megapixels', async () => {
      // 16.8 million pixels in some kilobytes.
      const large = rawPng(4096, 4096, Buffer.alloc(4097 * 4096))
      expect(large.length).toBeLessThan(100_000)
      expect((await send(large, 'image/png')).body).toMatchObject({ width: 4096, height: 4096 })
    })

    it('does not get more memory for pixels than its header says', async () => {
      // 2 by 2 pixels, of which 50 MB are unpacked if nobody stops.
      const answer = await send(rawPng(2, 2, Buffer.alloc(50 * mebibyte)), 'image/png')
      expect([201, 422]).toContain(answer.status)
    })

    it('may not hide much in a packed chunk of text', async () => {
      const text = Buffer.concat([Buffer.from('Comment\0\0'), deflateSync(Buffer.alloc(40 * mebibyte, 'secret'))])
      const answer = await send(rawPng(2, 2, Buffer.alloc(6), [chunk('zTXt', text)]), 'image/png')
      if (answer.status === 201) expect((await fileOf(answer.body.guid)).bytes.length).toBeLessThan(1000)
      else expectRefused(answer, 422, 'UNPROCESSABLE_ENTITY')
    })

    it.each([
      ['PNG', 'image/png', () => png(200, 200, '#123456')],
      ['JPEG', 'image/jpeg', () => jpeg(200, 200)],
      ['WebP', 'image/webp', () => webp(200, 200)],
    ])('is refused with 422 when it is cut off: %s', async (_name, type, make) => {
      const whole = await make()
      expectRefused(await send(whole.subarray(0, whole.length / 2), type), 422, 'UNPROCESSABLE_ENTITY')
      expectRefused(await send(whole.subarray(0, 20), type), 422, 'UNPROCESSABLE_ENTITY')
    })

    it.each([
      ['PNG', 'image/png', () => png()],
      ['JPEG', 'image/jpeg', () => jpeg()],
      ['WebP', 'image/webp', () => webp()],
    ])('loses what follows the end of a %s', async (_name, type, make) => {
      const polyglot = Buffer.concat([await make(), Buffer.from('PK\x03\x04<script>alert(document.domain)</script>')])
      const stored = await storedFile(polyglot, type)
      expect(stored.includes('script')).toBe(false)
      expect(stored.includes('PK\x03\x04')).toBe(false)
    })

    it('loses its metadata: place, author, comments, colour profile', async () => {
      const picture = sharp({ create: { width: 40, height: 20, channels: 3, background: 'white' } })
      const exif = { IFD0: { Copyright: 'SECRET-AUTHOR' }, IFD3: { GPSLatitude: '51/1 30/1 0/1', GPSLatitudeRef: 'N' } }
      const sent = await picture
        .clone()
        .withExif(exif)
        .withXmp('<x:xmpmeta xmlns:x="adobe:ns:meta/">SECRET-XMP</x:xmpmeta>')
        .jpeg()
        .toBuffer()
      expect(sent.includes('SECRET-AUTHOR') && sent.includes('SECRET-XMP')).toBe(true)
      const stored = await storedFile(sent, 'image/jpeg')
      const metadata = await sharp(stored).metadata()
      expect([metadata.exif, metadata.xmp, metadata.icc, metadata.iptc]).toEqual(Array(4).fill(undefined))
      expect(stored.includes('SECRET')).toBe(false)

      const comment = chunk('tEXt', Buffer.from('Comment\0SECRET-COMMENT'))
      const withComment = await storedFile(rawPng(2, 2, Buffer.alloc(6), [comment]), 'image/png')
      expect(withComment.includes('SECRET')).toBe(false)
    })

    it('is turned as its metadata says before that is gone', async () => {
      const sent = await sharp({ create: { width: 40, height: 20, channels: 3, background: 'white' } })
        .withMetadata({ orientation: 6 })
        .jpeg()
        .toBuffer()
      expect((await send(sent, 'image/jpeg')).body).toMatchObject({ width: 20, height: 40 })
    })

    it('keeps one frame of an animation', async () => {
      const frames = await sharp({ create: { width: 10, height: 20, channels: 3, background: 'red', pageHeight: 10 } })
        .webp({ delay: [100, 100], loop: 0 })
        .toBuffer()
      const { body } = await send(frames, 'image/webp')
      expect(body).toMatchObject({ width: 10, height: 10 })
      expect((await sharp((await fileOf(body.guid)).bytes).metadata()).pages ?? 1).toBe(1)
    })
  })

  describe('a hostile SVG', () => {
    it.each([
      ['a script', '<script>alert(1)</script>'],
      ['a script of another place', '<script href="https://evil.example/x.js"/>'],
      ['a handler', '<rect width="9" height="9" onclick="alert(1)" onload="alert(1)"/>'],
      ['a link', '<a href="javascript:alert(1)" xlink:href="https://evil.example"><rect width="9" height="9"/></a>'],
      [
        'a style sheet',
        '<style>@import url(https://evil.example/a.css); rect{fill:url(https://evil.example/#a)}</style>',
      ],
      ['a shape of another place', '<use href="https://evil.example/a.svg#a"/>'],
      ['an animation', '<rect width="9" height="9"><set attributeName="href" to="javascript:alert(1)"/></rect>'],
      ['metadata', '<metadata><author>evil.example</author></metadata><!-- evil.example --><desc>evil.example</desc>'],
      ['other namespaces', '<x:thing xmlns:x="http://evil.example/x" x:onload="alert(1)"/>'],
      ['an instruction', '<?xml-stylesheet href="https://evil.example/a.css"?>'],
    ])('loses %s', async (_what, content) => {
      const stored = (await storedFile(svg(`<circle r="5" fill="#123456"/>${content}`), 'image/svg+xml')).toString()
      expect(stored).toContain('fill="#123456"')
      expect(stored).not.toMatch(/script|evil|alert|\son\w+=|@import|<set|<a\b|<\?|<!/i)
    })

    it('loses a handler on its root', async () => {
      const stored = (
        await storedFile(svg('<rect width="9" height="9"/>', 'onload="alert(1)"'), 'image/svg+xml')
      ).toString()
      expect(stored).not.toMatch(/alert|onload/)
    })

    it.each([
      ['text', '<text y="9">Ad</text>', 'text'],
      ['a page', '<foreignObject><body xmlns="http://www.w3.org/1999/xhtml">x</body></foreignObject>', 'foreignObject'],
      ['a picture of another place', '<image href="https://evil.example/a.png" width="9" height="9"/>', 'image'],
      ['a picture in itself', `<image href="data:image/png;base64,AAAA" width="9" height="9"/>`, 'image'],
      ['a filter with a picture', '<filter id="f"><feImage href="https://evil.example/a"/></filter>', 'feImage'],
      [
        'a picture with a prefix',
        '<s:image xmlns:s="http://www.w3.org/2000/svg" href="a.png" width="9" height="9"/>',
        'image',
      ],
    ])('is refused with 422 with %s, which could not be kept', async (_what, content, named) => {
      const answer = await send(svg(content), 'image/svg+xml')
      expectRefused(answer, 422, 'UNPROCESSABLE_ENTITY')
      expect(answer.body.description).toContain(`<${named}>`)
    })

    it('shows no file of the machine', async () => {
      const secret = join(started.app.config.dataDir, 'secret.png')
      writeFileSync(secret, await png())
      for (const content of [
        `<image href="${secret}" width="9" height="9"/>`,
        `<image xlink:href="file://${secret}" width="9" height="9"/>`,
        `<filter id="f"><feImage href="${secret}"/></filter><rect width="9" height="9" filter="url(#f)"/>`,
      ]) {
        expectRefused(await send(svg(content), 'image/svg+xml'), 422, 'UNPROCESSABLE_ENTITY')
      }
    })

    it.each([
      ['a file as entity', '<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>', '<desc>&x;</desc>'],
      ['an element as entity', `<!DOCTYPE svg [<!ENTITY x "<image href='/etc/hosts'/>">]>`, '&x;'],
      [
        'a billion laughs',
        `<!DOCTYPE svg [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "${'&a;'.repeat(10)}">]>`,
        '<desc>&b;</desc>',
      ],
    ])('is refused with 422 with %s', async (_what, doctype, content) => {
      expectRefused(
        await send(`<?xml version="1.0"?>${doctype}${svg(content)}`, 'image/svg+xml'),
        422,
        'UNPROCESSABLE_ENTITY',
      )
    })

    it('may have the usual document type, a byte order mark and a comment before its root', async () => {
      const doctype =
        '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">'
      const sent = `\ufeff<?xml version="1.0" encoding="utf-8"?>\n<!-- Made by a program -->\n${doctype}\n${svg()}`
      expect((await storedFile(sent, 'image/svg+xml')).toString()).toMatch(/^<svg /)
    })

    it('cannot write markup through the name of a shape', async () => {
      const name = 'x&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;'
      const sent = svg(`<g id="${name}" opacity="0.5"><rect width="9" height="9"/></g>`)
      expectRefused(await send(sent, 'image/svg+xml'), 422, 'UNPROCESSABLE_ENTITY')
    })

    it.each([
      ['that is too wide', svg('<rect width="9" height="9"/>', 'width="100000000" height="100000000"')],
      ['without an area', svg('<rect width="9" height="9"/>', 'width="0" height="0"')],
      ['that is cut off', svg().slice(0, -9)],
      ['with shapes that repeat each other', repeatingSvg(7)],
      ['with a million elements', svg('<g/>'.repeat(1_100_000))],
    ])('is refused with 422: one %s', async (_what, sent) => {
      expectRefused(await send(sent, 'image/svg+xml'), 422, 'UNPROCESSABLE_ENTITY')
    })

    it('leaves redirects alone while it is read', async () => {
      const slow = send(repeatingSvg(7), 'image/svg+xml')
      let settled = false
      void slow.finally(() => {
        settled = true
      })
      let answered = 0
      while (!settled) {
        expect((await started.request('GET', '/healthz', { token: null })).status).toBe(200)
        answered += 1
      }
      // On the thread of requests nothing would be answered before it.
      expect(answered).toBeGreaterThan(3)
    })
  })

  describe('GET /v4/images/{image_guid}', () => {
    it('answers 200 to members of the group', async () => {
      const { body } = await send(await png(), 'image/png', '?name=mine')
      const answer = await started.request('GET', `/v4/images/${body.guid}`, { token: reader })
      expect([answer.status, answer.body]).toEqual([200, body])
    })

    it('answers 404 to what is no image, and 403 to strangers', async () => {
      for (const guid of ['Inothing', 'x', '%20', 'x'.repeat(300)]) {
        const answer = await started.request('GET', `/v4/images/${guid}`)
        expect([answer.status, answer.body.message, answer.body.resource]).toEqual([404, 'NOT_FOUND', 'images'])
      }
      const { body } = await send(await png(), 'image/png')
      const { token } = await aStranger(started)
      expect((await started.request('GET', `/v4/images/${body.guid}`, { token })).status).toBe(403)
      expect((await started.request('GET', `/v4/images/${body.guid}`, { token: null })).status).toBe(403)
    })
  })

  describe('GET /v4/images/{image_guid}/file', () => {
    it('answers the bytes to everybody who knows the guid, to be kept for ever', async () => {
      const { body } = await send(await png(), 'image/png')
      const { status, headers, bytes } = await fileOf(body.guid)
      expect(status).toBe(200)
      expect(headers).toMatchObject({
        'content-type': 'image/png',
        'content-length': String(body.bytes),
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; sandbox",
        etag: `"${body.sha256}"`,
      })
      expect(bytes).toHaveLength(body.bytes)
    })

    it('says of an SVG that it is one, and lets it do nothing', async () => {
      const { body } = await send(svg('<rect style="fill:#123456" width="9" height="9"/>'), 'image/svg+xml')
      const { headers } = await fileOf(body.guid)
      expect(headers['content-type']).toBe('image/svg+xml')
      expect(headers['content-security-policy']).toBe("default-src 'none'; sandbox")
    })

    it('answers 304 to those who have it', async () => {
      const { body } = await send(await png(), 'image/png')
      const etag = `"${body.sha256}"`
      for (const header of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const { status, headers, bytes } = await fileOf(body.guid, { 'if-none-match': header })
        expect([status, bytes.length, headers.etag]).toEqual([304, 0, etag])
        expect(headers['cache-control']).toContain('immutable')
      }
      expect((await fileOf(body.guid, { 'if-none-match': '"other"' })).status).toBe(200)
    })

    it('answers HEAD without the bytes', async () => {
      const { body } = await send(await png(), 'image/png')
      const { status, headers, bytes } = await started.request('HEAD', `/v4/images/${body.guid}/file`, { token: null })
      expect([status, bytes.length, headers['content-length']]).toEqual([200, 0, String(body.bytes)])
    })

    it('answers 404 to what is no image, which nobody keeps', async () => {
      for (const guid of ['Inothing', '..%2F..%2Fsecrets.key', 'x'.repeat(300)]) {
        const { status, body, headers } = await fileOf(guid)
        expect([status, body.message, headers['cache-control']]).toEqual([404, 'NOT_FOUND', 'no-store'])
      }
    })

    it('needs no token, and does not mind one that is wrong', async () => {
      const { body } = await send(await png(), 'image/png')
      expect((await started.request('GET', `/v4/images/${body.guid}/file`, { token: 'wrong' })).status).toBe(200)
    })
  })

  describe('GET /v4/groups/{group_guid}/images', () => {
    it('lists the images of a group page by page, newest first', async () => {
      const group = await organize(started).group('Listed')
      await aMember(started, group, 'reader')
      const made: string[] = []
      for (const name of ['a', 'b', 'c', 'd', 'e']) {
        made.unshift((await send(svg(), 'image/svg+xml', `?group_guid=${group}&name=${name}`)).body.guid)
      }
      const seen: string[] = []
      let next = `/v4/groups/${group}/images?size=2`
      const sizes: number[] = []
      while (next !== '') {
        const { status, body } = await started.request('GET', next)
        expect([status, body.pagination.size]).toEqual([200, 2])
        sizes.push(body.images.length)
        seen.push(...body.images.map(({ guid }: { guid: string }) => guid))
        expect(body.pagination.search_after === '').toBe(body.pagination.next === '')
        next = body.pagination.next.replace(`http://${started.domain}`, '')
      }
      expect(sizes).toEqual([2, 2, 1])
      expect([...seen].sort()).toEqual([...made].sort())
      const { body } = await started.request('GET', `/v4/groups/${group}/images`)
      expect(body.images[0]).toEqual((await started.request('GET', `/v4/images/${body.images[0].guid}`)).body)
    })

    it('answers 400 to parameters that are wrong', async () => {
      const list = `/v4/groups/${started.groupGuid}/images`
      for (const [query, message] of [
        ['size=0', 'INVALID_ARG_SIZE'],
        ['size=101', 'INVALID_ARG_SIZE'],
        ['search_after=nonsense', 'INVALID_ARG_SEARCH_AFTER'],
      ]) {
        const { status, body } = await started.request('GET', `${list}?${query}`)
        expect([status, body.message, body.resource]).toEqual([400, message, 'images'])
      }
    })

    it('answers 403 to those who are not in the group', async () => {
      const { token } = await aStranger(started)
      const { status } = await started.request('GET', `/v4/groups/${started.groupGuid}/images`, { token })
      expect(status).toBe(403)
    })
  })

  describe('DELETE /v4/images/{image_guid}', () => {
    it('answers 204, and the image and its file are gone', async () => {
      const { body } = await send(await png(21, 22), 'image/png')
      expect(blobsOf(body.sha256)).toHaveLength(1)
      const { status, text } = await started.request('DELETE', `/v4/images/${body.guid}`)
      expect([status, text]).toEqual([204, ''])
      expect((await started.request('GET', `/v4/images/${body.guid}`)).status).toBe(404)
      expect((await fileOf(body.guid)).status).toBe(404)
      expect(blobsOf(body.sha256)).toEqual([])
      expect((await started.request('DELETE', `/v4/images/${body.guid}`)).status).toBe(404)
    })

    it('keeps the bytes while another image has them', async () => {
      const sent = await png(23, 24)
      const [one, two] = [await send(sent, 'image/png'), await send(sent, 'image/png')]
      await started.request('DELETE', `/v4/images/${one.body.guid}`)
      expect((await fileOf(two.body.guid)).status).toBe(200)
      await started.request('DELETE', `/v4/images/${two.body.guid}`)
      expect(blobsOf(one.body.sha256)).toEqual([])
      expect((await send(sent, 'image/png')).body.sha256).toBe(one.body.sha256)
    })

    it('never loses the bytes of an image that is uploaded while the last one is removed', async () => {
      const sent = await png(25, 26)
      let { body: known } = await send(sent, 'image/png')
      for (let round = 0; round < 4; round += 1) {
        const [{ body }, removed] = await Promise.all([
          send(sent, 'image/png'),
          started.request('DELETE', `/v4/images/${known.guid}`),
        ])
        expect(removed.status).toBe(204)
        expect((await fileOf(body.guid)).bytes).toHaveLength(body.bytes)
        known = body
      }
      expect(blobsOf(known.sha256)).toHaveLength(1)
    })

    it('answers 409 while a QR code uses it', async () => {
      const { body } = await send(await png(), 'image/png')
      const logo = { logo: { image_guid: body.guid } }
      const code = {
        group_guid: started.groupGuid,
        destination: { long_url: 'https://example.com/logo' },
        render_customizations: logo,
      }
      const made = await started.request('POST', '/v4/qr-codes', { body: code })
      expect([made.status, made.body.description]).toEqual([201, undefined])
      expectRefused(await started.request('DELETE', `/v4/images/${body.guid}`), 409, 'CONFLICT', null)
      expect((await fileOf(body.guid)).status).toBe(200)
      const plain = { render_customizations: {} }
      await started.request('PATCH', `/v4/qr-codes/${made.body.qrcode_id}`, { body: plain })
      expect((await started.request('DELETE', `/v4/images/${body.guid}`)).status).toBe(204)
    })

    it('answers 403 to readers and strangers', async () => {
      const { body } = await send(await png(), 'image/png')
      const { token } = await aStranger(started)
      for (const each of [reader, token, null]) {
        expect((await started.request('DELETE', `/v4/images/${body.guid}`, { token: each })).status).toBe(403)
      }
      expect((await fileOf(body.guid)).status).toBe(200)
    })
  })

  function blobsOf(sha256: string): readonly string[] {
    const folder = join(started.app.config.dataDir, 'images', sha256.slice(0, 2))
    return existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith(sha256)) : []
  }
})

interface Part {
  readonly bytes: Buffer
  readonly type: string
  readonly filename: string
}

/** As browsers write it. */
function form(fields: Readonly<Record<string, string | Part>>): { readonly body: Buffer; readonly type: string } {
  const boundary = '----shortlinkTest7MA4YWxkTrZu0gW'
  const parts = Object.entries(fields).flatMap(([name, value]) => {
    const filename = typeof value === 'string' ? '' : `; filename="${value.filename.replaceAll('"', '%22')}"`
    const type = typeof value === 'string' ? '' : `Content-Type: ${value.type}\r\n`
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${filename}\r\n${type}\r\n`
    return [Buffer.from(head), typeof value === 'string' ? Buffer.from(value) : value.bytes, Buffer.from('\r\n')]
  })
  const body = Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)])
  return { body, type: `multipart/form-data; boundary=${boundary}` }
}
