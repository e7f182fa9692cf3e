import { describe, expect, it } from 'vitest'
import { Fields } from './form-body.js'

describe('Fields', () => {
  it('reads values as forms spell them', () => {
    const fields = new Fields('a=1+2&b=%C3%BC&c=&d&%65=x%3Dy')
    expect([fields.get('a'), fields.get('b'), fields.get('e')]).toEqual(['1 2', 'ü', 'x=y'])
  })

  it('takes a parameter without a value for one that was left out', () => {
    const fields = new Fields('c=&d')
    expect([fields.get('c'), fields.get('d'), fields.get('x')]).toEqual([undefined, undefined, undefined])
  })

  it('names what was sent twice, also when it was spelled differently', () => {
    expect(new Fields('a=1&b=2&%61=3').repeated(['b', 'a'])).toBe('a')
    expect(new Fields('a=1&b=2&c=3&c=4').repeated(['a', 'b'])).toBeUndefined()
  })

  it.each([
    ['state=a%2fb+c%20d', 'a%2fb+c%20d'],
    ['x=1&state=%FF%00', '%FF%00'],
    ['state=a=b==', 'a=b=='],
    ['%73tate=1', '1'],
    ['state=', ''],
    ['state', ''],
    ['x=state', undefined],
    ['', undefined],
  ])('keeps the value in %j byte for byte', (text, raw) => {
    expect(new Fields(text).raw('state')).toBe(raw)
  })
})
