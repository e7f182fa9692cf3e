import { randomBase62 } from '../lib/base62.js'

/** Gaps 2.1: eleven characters, the first tells the kind. Callers treat guids as opaque. */
const prefix = { application: 'A', campaign: 'C', channel: 'H', group: 'B', organization: 'O', token: 'T' } as const

export type GuidKind = keyof typeof prefix

export function newGuid(kind: GuidKind): string {
  return prefix[kind] + randomBase62(10)
}
