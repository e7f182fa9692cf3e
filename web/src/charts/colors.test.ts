/** Colours of charts can be told apart by people who see few colours, and from the card that they are drawn on. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { theme } from '../theme/theme.js'
import { maxSeries } from './max-series.js'

type Triple = readonly [number, number, number]
type Matrix = readonly [Triple, Triple, Triple]

/** Of Machado, Oliveira and Fernandes (2009), for eyes that lack one kind of cone; on linear RGB. */
const eyes: Readonly<Record<string, Matrix>> = {
  all: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
}

/** In OKLab, where 1 is the way from black to white. The least that is told apart at a glance is about 0.1. */
const leastDistance = 0.1

const css = readFileSync(new URL('../theme/global.css', import.meta.url), 'utf8')

describe.each(['light', 'dark'] as const)('colours of charts in the %s scheme', (scheme) => {
  const series = Array.from({ length: maxSeries }, (_, place) => colorOf(`--series-${place}`, scheme))

  it.each(Object.entries(eyes))('differ from each other for eyes with %s', (_, matrix) => {
    const seen = series.map((color) => inOklab(multiply(matrix, linear(color)).map((part) => Math.max(0, part))))
    for (const [place, one] of seen.entries()) {
      for (const other of seen.slice(place + 1)) {
        expect(Math.hypot(...one.map((part, axis) => part - (other[axis] ?? 0)))).toBeGreaterThan(leastDistance)
      }
    }
  })

  it('differ from the card', () => {
    const card = luminance(colorOf('--surface', scheme))
    for (const color of series) {
      const [darker = 0, lighter = 0] = [luminance(color), card].sort((one, other) => one - other)
      expect((lighter + 0.05) / (darker + 0.05)).toBeGreaterThan(3)
    }
  })
})

/** The value of a variable in global.css, through other variables and those of Mantine; `#rrggbb`. */
function colorOf(name: string, scheme: 'light' | 'dark'): string {
  const mantine = /^--mantine-color-(\w+)-(\d)$/.exec(name)
  if (mantine) return theme.colors?.[mantine[1] ?? '']?.[Number(mantine[2])] ?? ''
  const found = [...css.matchAll(new RegExp(`${name}: ([^;]+);`, 'g'))].map(([, value = '']) => value)
  const value = (scheme === 'dark' ? found.at(-1) : found[0]) ?? ''
  const inner = /^var\((.+)\)$/.exec(value)?.[1]
  return inner ? colorOf(inner, scheme) : value.replace(/^#(.)(.)(.)$/, '#$1$1$2$2$3$3')
}

function linear(color: string): number[] {
  return [1, 3, 5]
    .map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
}

function luminance(color: string): number {
  return multiply([[0.2126, 0.7152, 0.0722]], linear(color))[0] ?? 0
}

function inOklab(rgb: readonly number[]): number[] {
  const cones = multiply(
    [
      [0.4122214708, 0.5363325363, 0.0514459929],
      [0.2119034982, 0.6806995451, 0.1073969566],
      [0.0883024619, 0.2817188376, 0.6299787005],
    ],
    rgb,
  )
  return multiply(
    [
      [0.2104542553, 0.793617785, -0.0040720468],
      [1.9779984951, -2.428592205, 0.4505937099],
      [0.0259040371, 0.7827717662, -0.808675766],
    ],
    cones.map(Math.cbrt),
  )
}

function multiply(matrix: readonly Triple[], values: readonly number[]): number[] {
  return matrix.map((row) => row.reduce((sum, factor, at) => sum + factor * (values[at] ?? 0), 0))
}
