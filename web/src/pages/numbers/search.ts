import { type Range, ranges } from '../../charts/range.js'
import { oneOf, setOnly } from '../../parts/search-params.js'

/** What the numbers of a page show, as it is in the URL. */
export interface NumbersSearch {
  readonly range?: Range | undefined
  readonly traffic?: Traffic | undefined
  readonly measure?: Measure | undefined
}

export const traffics = ['human', 'bots', 'all'] as const
export type Traffic = (typeof traffics)[number]
export const measures = ['clicks', 'visitors'] as const
export type Measure = (typeof measures)[number]

export function readNumbersSearch(raw: Record<string, unknown>): NumbersSearch {
  return setOnly({
    range: oneOf(ranges, raw.range),
    traffic: oneOf(traffics, raw.traffic),
    measure: oneOf(measures, raw.measure),
  })
}

export const standardRange: Range = '28d'
