/** Colours as designs write them, and how bright they are to a scanner. */
import { invalid, quoted } from '../values/refusal.js'

const hex = /^#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/

/** `#RGB`, `#RGBA`, `#RRGGBB` or `#RRGGBBAA` -> `#rrggbb`, or `#rrggbbaa` where one can see through it. */
export function readColor(text: string, field: string): string {
  const color = text.toLowerCase()
  if (!hex.test(color)) throw invalid(field, `${quoted(text)} is not a colour such as #1a2b3c or #1a2b3c80.`)
  const long = color.length > 5 ? color : `#${[...color.slice(1)].map((digit) => digit + digit).join('')}`
  return long.length === 9 && long.endsWith('ff') ? long.slice(0, 7) : long
}

/** Red, green and blue from 0 to 255, opacity from 0 to 1. */
export type Rgba = readonly [red: number, green: number, blue: number, alpha: number]

export function rgba(color: string): Rgba {
  const value = Number.parseInt(color.slice(1, 7), 16)
  const alpha = color.length === 9 ? Number.parseInt(color.slice(7), 16) / 255 : 1
  return [value >> 16, (value >> 8) & 255, value & 255, alpha]
}

/** `share` of the second colour, 0 to 1. */
export function mixed(a: Rgba, b: Rgba, share: number): Rgba {
  const part = (index: 0 | 1 | 2 | 3) => a[index] + (b[index] - a[index]) * share
  return [part(0), part(1), part(2), part(3)]
}

/** What is seen of a colour on top of an opaque one. */
export function over(top: Rgba, ground: Rgba): Rgba {
  return top[3] === 1 ? top : mixed(ground, [top[0], top[1], top[2], 1], top[3])
}

/** The grey that a camera sees, 0 to 255 (ITU-R BT.601, which scanners use). */
export function greyOf([red, green, blue]: Rgba): number {
  return 0.299 * red + 0.587 * green + 0.114 * blue
}

/** 1 to 21, as web pages are judged (WCAG 2.2). */
export function contrast(a: Rgba, b: Rgba): number {
  const [first, second] = [luminance(a), luminance(b)]
  return (Math.max(first, second) + 0.05) / (Math.min(first, second) + 0.05)
}

function luminance([red, green, blue]: Rgba): number {
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}

function linear(value: number): number {
  const share = value / 255
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
}
