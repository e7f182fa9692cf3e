// Writes the outlines of the letters that QR codes can show, src/core/qr-design/letters/, from two open fonts, whose licence
// is in LICENSE.txt there. It is run once for a new version of a font, with packages that nothing else needs:
//   npm install --no-save fontkit@2.0.4 @fontsource/inter@5.3.0 @fontsource/pacifico@5.3.0 && node scripts/qr-letters.mjs
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readArguments } from './arguments.mjs'

readArguments('node scripts/qr-letters.mjs')

const target = join(dirname(dirname(fileURLToPath(import.meta.url))), 'src', 'core', 'qr-design', 'letters')
const require = createRequire(join(process.cwd(), 'package.json'))
const installed = (name) => require(name)
const fontkit = installed('fontkit')

/** The signs of texts in Latin letters. */
const western = [
  [0x20, 0x7e],
  [0xa0, 0xff],
  [0x152, 0x153],
  [0x178, 0x178],
  [0x2013, 0x2014],
  [0x2018, 0x201e],
  [0x2022, 0x2026],
  [0x20ac, 0x20ac],
  [0x2122, 0x2122],
]
const fonts = [
  {
    name: 'sans',
    family: 'inter',
    style: '700-normal',
    title: 'Inter Bold',
    // Central European, Turkish and Baltic letters, Vietnamese, Greek, Cyrillic.
    ranges: [
      ...western,
      [0x100, 0x17f],
      [0x1a0, 0x1a1],
      [0x1af, 0x1b0],
      [0x218, 0x21b],
      [0x386, 0x3ce],
      [0x400, 0x45f],
      [0x490, 0x491],
      [0x1e9e, 0x1ef9],
      [0x2030, 0x203a],
      [0x20a6, 0x20bf],
      [0x2116, 0x2116],
      [0x2190, 0x2193],
      [0x2212, 0x2212],
    ],
  },
  { name: 'script', family: 'pacifico', style: '400-normal', title: 'Pacifico', ranges: western },
]
const subsets = ['latin', 'latin-ext', 'vietnamese', 'greek', 'cyrillic', 'cyrillic-ext']
/** Pairs are moved together only where both are common. */
const kerned = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.,:;!?\'"-/&@()']

for (const font of fonts) {
  const folder = dirname(require.resolve(`@fontsource/${font.family}/package.json`))
  const files = subsets.flatMap((subset) => {
    try {
      return [fontkit.openSync(join(folder, 'files', `${font.family}-${subset}-${font.style}.woff`))]
    } catch {
      return []
    }
  })
  const letters = new Map()
  for (const file of files) {
    const scale = 1000 / file.unitsPerEm
    for (const code of file.characterSet) {
      const character = String.fromCodePoint(code)
      if (letters.has(character) || !font.ranges.some(([first, last]) => code >= first && code <= last)) continue
      const glyph = file.glyphForCodePoint(code)
      letters.set(character, [Math.round(glyph.advanceWidth * scale), outline(glyph.path.commands, scale)])
    }
  }
  const { capHeight, unitsPerEm } = files[0]
  // One letter in each line.
  const lines = (entries) =>
    entries.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(',\n')
  writeFileSync(
    join(target, `${font.name}.json`),
    `{
"font":${JSON.stringify(font.title)},
"capHeight":${Math.round((capHeight * 1000) / unitsPerEm)},
"letters":{
${lines([...letters].sort(([a], [b]) => a.codePointAt(0) - b.codePointAt(0)))}
},
"kerning":{
${lines(kerning(files[0]))}
}}
`,
  )
  console.log(`${font.title}: ${letters.size} letters`)
}

/** Path data of SVG with relative numbers, which are shorter, and y downwards. */
function outline(commands, scale) {
  const words = { moveTo: 'm', lineTo: 'l', quadraticCurveTo: 'q', bezierCurveTo: 'c', closePath: 'z' }
  let [x, y, startX, startY] = [0, 0, 0, 0]
  return commands
    .map(({ command, args }) => {
      const numbers = args.map((value, index) => Math.round(index % 2 === 0 ? value * scale : -value * scale))
      const relative = numbers.map((value, index) => value - (index % 2 === 0 ? x : y))
      if (numbers.length > 0) [x, y] = numbers.slice(-2)
      if (command === 'moveTo') [startX, startY] = [x, y]
      if (command === 'closePath') [x, y] = [startX, startY]
      return words[command] + relative.join(' ').replaceAll(' -', '-')
    })
    .join('')
}

/** The second letters by their distance from a first one: `["A", { "TVY": -40 }]`. */
function kerning(file) {
  const scale = 1000 / file.unitsPerEm
  return kerned.flatMap((first) => {
    const alone = file.layout(first).advanceWidth
    const byDistance = new Map()
    for (const second of kerned) {
      const pair = file.layout(first + second, ['kern'])
      const distance = Math.round((pair.advanceWidth - alone - file.layout(second).advanceWidth) * scale)
      if (pair.glyphs.length !== 2 || Math.abs(distance) < 8) continue
      byDistance.set(distance, (byDistance.get(distance) ?? '') + second)
    }
    const bySeconds = Object.fromEntries([...byDistance].map(([distance, seconds]) => [seconds, distance]))
    return byDistance.size === 0 ? [] : [[first, bySeconds]]
  })
}
