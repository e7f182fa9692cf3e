/** Whether colours can be read on each other (WCAG 2.2), as the service checks it: it refuses what people cannot read. */

/** Of texts. */
export const leastContrast = 4.5

/** Of two colours `#rrggbb`: from 1 to 21. */
export function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((first, second) => first - second)
  return (light + 0.05) / (dark + 0.05)
}

/** The colour made lighter or darker until it holds, whichever changes it less. */
export function nearestReadable(color: string, background: string, least = leastContrast): string {
  let best = '#000000'
  let fewest = Number.POSITIVE_INFINITY
  for (const end of ['#000000', '#ffffff']) {
    for (let step = 0; step < Math.min(fewest, steps + 1); step++) {
      const mixed = mix(color, end, step / steps)
      if (contrast(mixed, background) < least) continue
      best = mixed
      fewest = step
    }
  }
  return best
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

/** Rounded down: 4.499 must not be shown as 4.5. */
export function shownRatio(ratio: number): number {
  return Math.floor(ratio * 10) / 10
}

export function isColor(value: string | undefined): value is string {
  return value !== undefined && /^#[0-9a-f]{6}$/i.test(value)
}
