import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { type GuidKind, guidLetters, newGuid } from './guid.js'

const kinds = Object.entries(guidLetters) as [GuidKind, string][]

it('gives every kind of guid a first letter of its own', () => {
  expect(new Set(kinds.map(([, letter]) => letter)).size).toBe(kinds.length)
  for (const [kind, letter] of kinds) expect(newGuid(kind)).toMatch(new RegExp(`^${letter}[0-9A-Za-z]{10,22}$`))
})

it('documents the letters', () => {
  const page = readFileSync(new URL('../../../docs/api/README.md', import.meta.url), 'utf8')
  const documented = [...page.matchAll(/`([A-Za-z])` ([a-z-]+)/g)].map(([, letter, kind]) => `${letter} ${kind}`)
  expect(documented.sort()).toEqual(kinds.map(([kind, letter]) => `${letter} ${kind}`).sort())
})
