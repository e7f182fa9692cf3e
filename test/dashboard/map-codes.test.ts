import { createRequire } from 'node:module'
import { expect, it } from 'vitest'
import { codeOf, smallPlaces } from '../../web/build/map-codes.js'

const atlas = createRequire(import.meta.url)('world-atlas/countries-110m.json')
const countries: readonly { readonly id?: string; readonly properties: { readonly name: string } }[] =
  atlas.objects.countries.geometries

it('the map knows every country by the code that clicks have, none of them retired', () => {
  const codes = countries.flatMap(({ id }) => (id === undefined ? [] : [codeOf.get(id)]))
  expect(codes).not.toContain(undefined)
  const all = [...codes, ...Object.keys(smallPlaces)]
  expect(new Set(all).size).toBe(all.length)
  for (const code of all) expect(Intl.getCanonicalLocales(`und-${code}`)).toEqual([`und-${code}`])
})

it.each([
  ['Germany', 'DE'],
  ['Vietnam', 'VN'],
  ['Serbia', 'RS'],
  ['United States of America', 'US'],
])('the map shows %s as %s', (name, code) => {
  const country = countries.find(({ properties }) => properties.name === name)
  expect(codeOf.get(country?.id ?? '')).toBe(code)
})
