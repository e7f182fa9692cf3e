/** Whether texts can be read on their backgrounds (WCAG 2.2, 1.4.3 and 1.4.11). */
import { invalid } from '../values/refusal.js'
import type { Appearance, SiteDocument, TextAppearance } from './site.js'
import { coloredAs } from './templates.js'

/** Of texts. */
export const leastContrast = 4.5
/** Of icons. */
const leastIconContrast = 3

interface Pair {
  /** The field that is refused. */
  readonly field: string
  readonly what: string
  readonly text: string
  readonly background: string
  readonly least: number
}

/** Throws unless all texts of the page can be read, and names colors that hold. */
export function requireReadable(appearance: Appearance): void {
  const { backgroundPreference, backgroundColor, bottomBackgroundColor, textColor, descriptionColor } = appearance
  const { buttonBackgroundColor, buttonTextColor, socialIconColor, header } = appearance
  const grounds = [
    { name: 'background_color', color: backgroundColor },
    ...(backgroundPreference === 'gradient' ? [{ name: 'bottom_background_color', color: bottomBackgroundColor }] : []),
    ...(header.bannerType === 'none' ? [] : [{ name: 'header_background_color', color: header.backgroundColor }]),
  ]
  const page = grounds.flatMap(({ name, color: background }) => [
    { field: 'textColor', what: `text_color on ${name}`, text: textColor, background, least: leastContrast },
    {
      field: 'descriptionColor',
      what: `description_color on ${name}`,
      text: descriptionColor,
      background,
      least: leastContrast,
    },
  ])
  requirePairs([
    ...page,
    {
      field: 'defaultButtonTextColor',
      what: 'default_button_text_color on default_button_background_color',
      text: buttonTextColor,
      background: buttonBackgroundColor,
      least: leastContrast,
    },
    ...grounds
      .filter(({ name }) => name !== 'header_background_color')
      .map(({ name, color: background }) => ({
        field: 'defaultSocialIconColor',
        what: `default_social_icon_color on ${name}`,
        text: socialIconColor,
        background,
        least: leastIconContrast,
      })),
  ])
}

/** The same of a text block, which has the colors of the page where it has none. */
export function requireReadableText(block: TextAppearance, page: Appearance): void {
  requirePairs(textPairs(block, page, 'appearance.textColor', 'text_color'))
}

/** The same of all text blocks that have one color of their own, when the page gets another. */
export function requireReadableTexts({ appearance: page, blocks }: SiteDocument, field: string): void {
  for (const { id, appearance } of blocks) {
    if (!appearance || (appearance.textColor === undefined) === (appearance.backgroundColor === undefined)) continue
    requirePairs(textPairs(appearance, page, field, `text_color of the text block ${id}`))
  }
}

function textPairs(
  { textColor: text, backgroundColor }: TextAppearance,
  appearance: Appearance,
  field: string,
  what: string,
): readonly Pair[] {
  const page = coloredAs(appearance)
  const ends = page.backgroundPreference === 'gradient' ? [page.bottomBackgroundColor] : []
  const grounds = backgroundColor === undefined ? [page.backgroundColor, ...ends] : [backgroundColor]
  return grounds.map((background) => ({
    field,
    what: `${what} on background_color`,
    text: text ?? page.textColor,
    background,
    least: leastContrast,
  }))
}

function requirePairs(pairs: readonly Pair[]): void {
  for (const { field, what, text, background, least } of pairs) {
    const ratio = contrast(text, background)
    if (ratio >= least) continue
    const nearest = nearestReadable(text, background, least)
    const other = nearestReadable(background, text, least)
    throw invalid(
      field,
      `${what} (${text} on ${background}) has a contrast of ${rounded(ratio)}:1, which many cannot read. ` +
        `At least ${least}:1 is needed: nearest are ${nearest} on ${background}, or ${text} on ${other}.`,
      'sites',
    )
  }
}

/** Rounded down: 4.499 must not be shown as 4.5. */
function rounded(ratio: number): string {
  return (Math.floor(ratio * 100) / 100).toFixed(2)
}

/** Of two colors `#rrggbb`: from 1 to 21. */
export function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((first, second) => first - second)
  return (light + 0.05) / (dark + 0.05)
}

/** The color made lighter or darker until it holds on the background, whichever changes it less. */
function nearestReadable(color: string, background: string, least = leastContrast): string {
  const candidates = ['#000000', '#ffffff'].flatMap((end) => {
    for (let step = 0; step <= steps; step++) {
      const mixed = mix(color, end, step / steps)
      if (contrast(mixed, background) >= least) return [{ mixed, step }]
    }
    return []
  })
  // Black or white holds on every color.
  return candidates.sort((one, other) => one.step - other.step)[0]?.mixed ?? '#000000'
}

const steps = 100

function mix(from: string, to: string, share: number): string {
  const ends = channels(to)
  const mixed = channels(from).map((value, at) => Math.round(value + ((ends[at] ?? 0) - value) * share))
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = channels(color).map((value) => {
    const share = value / 255
    return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function channels(color: string): readonly number[] {
  return [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))
}
