/** A PDF looks as its SVG does: rasterised by Ghostscript, both decoders read it. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { cornerShapes, type DesignInput, dotPatterns, frameIds, readDesign } from '../../src/core/qr-design/design.js'
import { drawQrCode } from '../../src/core/qr-design/draw.js'
import { toPdf } from '../../src/storage/qr-images/pdf.js'
import { readQrCode } from '../support/read-qr-code.js'
import { readByZbar, zbarMissing } from './decoders.js'
import { Dice, randomLogo } from './random-design.js'

const folder = mkdtempSync(join(tmpdir(), 'shortlink-pdf-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const ghostscriptMissing = spawnSync('gs', ['--version']).status === 0 ? undefined : 'Ghostscript is not installed'
const content = 'https://sho.rt/2uGBkz?r=qr'
const stops = (from: string, to: string) => [
  { color: from, offset: 20 },
  { color: to, offset: 80 },
]
const styles: readonly DesignInput[] = [
  ...dotPatterns.map((dotPatternType) => ({ dotPatternType })),
  ...cornerShapes.map((shape) => ({ corners: { corner_1: { shape }, corner_2: { shape }, corner_3: { shape } } })),
  ...frameIds.map((id) => ({ frame: { id } })),
  { gradient: { style: 'linear', angle: 30, colors: stops('#1d4ed8', '#be185de0') }, frame: { id: 'script' } },
  { backgroundGradient: { style: 'radial', colors: stops('#ffffff', '#fbcfe880') }, dotPatternColor: '#111827e8' },
  { logo: { imageGuid: 'Ilogo' }, branding: { shortlinkBrand: true } },
  { text: { top: { content: 'Привет' }, center: { content: 'MENU' }, bottom: { content: 'ÄÖÜ' } } },
]

describe('a PDF', () => {
  it('is read by both decoders, whatever the style', { timeout: 120_000 }, async (context) => {
    if (ghostscriptMissing) context.skip(ghostscriptMissing)
    const logo = randomLogo(new Dice(1))
    styles.forEach((style, index) => {
      writeFileSync(join(folder, `${index}.pdf`), toPdf(drawQrCode(content, readDesign(style), { logo }), 400))
    })
    const files = styles.map((_, index) => join(folder, `${index}.pdf`))
    const options = ['-q', '-dSAFER', '-dGraphicsAlphaBits=4', '-sDEVICE=png16m', '-r96']
    const { status, stderr } = spawnSync('gs', [...options, '-o', join(folder, '%d.png'), ...files])
    expect([status, String(stderr)]).toEqual([0, ''])
    const pictures = styles.map((_, index) => join(folder, `${index + 1}.png`))
    const byZxing = await Promise.all(pictures.map((file) => readQrCode(readFileSync(file))))
    expect(byZxing).toEqual(styles.map(() => content))
    if (zbarMissing) return
    const byZbar = await readByZbar(pictures)
    expect(pictures.map((file) => byZbar.get(file))).toEqual(styles.map(() => content))
  })

  it('is as large as asked for, with 96 pixels for each inch', () => {
    const pdf = Buffer.from(toPdf(drawQrCode(content, readDesign({})), 384)).toString('latin1')
    expect(pdf).toContain('/MediaBox[0 0 288 288]')
  })
})
