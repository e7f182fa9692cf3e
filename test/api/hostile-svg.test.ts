/** SVG images that would keep a machine busy: each is refused or drawn, and everybody else is served meanwhile. */
import { describe, expect, it } from 'vitest'
import { maxImageBytes } from '../../src/core/images/image-encoder.js'
import { repeatingSvg, slowSvg, svg } from '../support/pictures.js'
import { useApp } from '../support/start-app.js'

describe('a hostile SVG', () => {
  const started = useApp()

  const upload = (text: string) =>
    started.request('POST', '/v4/images', { body: text, headers: { 'content-type': 'image/svg+xml' } })

  const square = 'width="20" height="10"'
  const filtered = (steps: string, more = '') =>
    svg(`<filter id="f" x="0" y="0" ${square}>${steps}</filter><rect ${square} filter="url(#f)" ${more}/>`)
  const pattern = (id: number, content: string, side = 5) =>
    `<pattern id="p${id}" width="${side}" height="${side}" patternUnits="userSpaceOnUse">${content}</pattern>`
  const nestedPatterns = Array.from({ length: 5 }, (_, level) =>
    pattern(level, `<rect ${square} fill="${level === 0 ? 'red' : `url(#p${level - 1})`}"/>`.repeat(8)),
  )
  const nestedMasks = Array.from(
    { length: 5 },
    (_, level) => `<mask id="m${level}">${`<rect ${square} fill="#fff" mask="url(#m${level - 1})"/>`.repeat(8)}</mask>`,
  )
  const blur = '<filter id="f"><feGaussianBlur stdDeviation="2"/></filter>'
  const gradient = `<linearGradient id="g">${Array.from({ length: 3000 }, (_, stop) => `<stop offset="${stop / 3000}" stop-color="red"/>`).join('')}</linearGradient>`

  it.each([
    ['clouds', filtered('<feTurbulence numOctaves="5000" baseFrequency="0.5"/>'), '<feTurbulence>'],
    ['a matrix', filtered(`<feConvolveMatrix order="60" kernelMatrix="${'1 '.repeat(3600)}"/>`), '<feConvolveMatrix>'],
    [
      'light',
      filtered('<feSpecularLighting lighting-color="red"><fePointLight x="1" y="1" z="1"/></feSpecularLighting>'),
      '<feSpecularLighting>',
    ],
    ['many steps of a filter', filtered('<feGaussianBlur stdDeviation="9"/>'.repeat(500)), 'too many'],
    [
      'a filter in filters',
      svg(`${blur}${`<g filter="url(#f)">`.repeat(300)}<rect ${square}/>${'</g>'.repeat(300)}`),
      'too many',
    ],
    ['patterns in patterns', svg(`${nestedPatterns.join('')}<rect ${square} fill="url(#p4)"/>`), 'too many'],
    [
      'a pattern of a huge tile',
      svg(`${pattern(0, `<rect ${square}/>`, 50_000)}<rect ${square} fill="url(#p0)"/>`),
      'too many',
    ],
    ['masks in masks', svg(`${nestedMasks.join('')}<rect ${square} mask="url(#m4)"/>`), 'too many'],
    [
      'a gradient of many stops in many shapes',
      svg(`${gradient}${`<rect ${square} fill="url(#g)"/>`.repeat(50)}`),
      'too many',
    ],
    ['many shapes', svg('<path d="M0 0L9 1L2 9Z"/>'.repeat(30_000)), 'too many'],
    ['many layers', svg(`<g opacity="0.9"><rect ${square}/><rect ${square}/></g>`.repeat(1000)), 'too many'],
    ['many characters', svg(`<text>${'W'.repeat(50_000)}</text>`), '<text>'],
    ['shapes that repeat each other', repeatingSvg(5), 'too many'],
  ])('is refused for the reason: %s', async (_what, text, reason) => {
    const { status, body } = await upload(text)
    expect([status, body.message]).toEqual([422, 'UNPROCESSABLE_ENTITY'])
    expect(body.description).toContain(reason)
  })

  it.each([
    ['a huge blur', filtered('<feGaussianBlur stdDeviation="1000000"/>')],
    ['tiny tiles', svg(`${pattern(0, `<rect ${square}/>`, 0.0001)}<rect ${square} fill="url(#p0)"/>`)],
    ['tiny dashes', svg('<path d="M0 0H1e7" stroke="red" stroke-dasharray="0.0001"/>')],
    ['one long path', svg(`<path d="M0 0${'L9 1L2 9'.repeat(20_000)}"/>`)],
    ['a shadow', filtered('<feDropShadow dx="1" dy="1" stdDeviation="1"/>')],
  ])('is drawn when it is little work: %s', async (_what, text) => {
    expect((await upload(text)).body.description).toBeUndefined()
  })

  it('does not make others wait while it is drawn', async () => {
    let isAnswered = false
    const slow = upload(slowSvg).then((answer) => {
      isAnswered = true
      return answer
    })
    expect((await started.request('GET', '/v4/user')).status).toBe(200)
    expect((await upload(svg())).status).toBe(201)
    expect(isAnswered).toBe(false)
    // Within the limit of 20 seconds that ends it.
    const { status, body } = await slow
    expect([status, body.description]).toEqual([422, expect.stringContaining('takes too long')])
  }, 120_000)

  it('is refused when it grows beyond 5 MiB as it is written anew', async () => {
    // Every repetition is written out.
    const path = `<path id="p" d="M0 0${'L9 1L2 9'.repeat(5000)}"/>`
    const text = svg(`${path}${'<use href="#p"/>'.repeat(200)}`)
    expect(text.length).toBeLessThan(maxImageBytes / 10)
    const { status, body } = await upload(text)
    expect([status, body.description]).toEqual([422, expect.stringContaining('too large once it is unpacked')])
  })
})
