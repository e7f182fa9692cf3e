import { describe, expect, it } from 'vitest'
import { type Gs1Value, readGs1 } from './gs1.js'

const of = (...pairs: readonly string[]): readonly Gs1Value[] =>
  pairs.map((pair) => {
    const at = pair.indexOf('=')
    return { key: pair.slice(0, at), value: pair.slice(at + 1) }
  })
const linkOf = (...pairs: readonly string[]) => readGs1(of(...pairs))?.link
const refusalOf = (...pairs: readonly string[]) => {
  try {
    return linkOf(...pairs)
  } catch (error) {
    return (error as { details: { field: string } }).details.field
  }
}

describe('the link of GS1 values', () => {
  it.each([
    [['01=09506000134352'], '/01/09506000134352'],
    [['01=9506000134352'], '/01/09506000134352'],
    [['01=614141007349'], '/01/00614141007349'],
    [['01=40170725'], '/01/00000040170725'],
    [['00=106141412345678908'], '/00/106141412345678908'],
    [['414=9521141123454', '254=32a/b'], '/414/9521141123454/254/32a%2Fb'],
    [['402=61414112345678902'], '/402/61414112345678902'],
    [['253=4602443000331XYZ'], '/253/4602443000331XYZ'],
    [['8003=00614141123452789'], '/8003/00614141123452789'],
    [['8006=095060001343520102', '21=1'], '/8006/095060001343520102/21/1'],
    [['8010=951110001/X#', '8011=123'], '/8010/951110001%2FX%23/8011/123'],
    [['8013=1987654Ad4X4bL5ttr2310c2K'], '/8013/1987654Ad4X4bL5ttr2310c2K'],
    [['8018=440018922000001012', '8019=7'], '/8018/440018922000001012/8019/7'],
    [['415=4280000000002', '8020=ABC123'], '/415/4280000000002/8020/ABC123'],
    // In the order of the standard, whatever the order of the values.
    [
      ['99=x', '21=s+1', '3103=000195', '17=271231', '10=L!', '01=9506000134352', '22=2A'],
      '/01/09506000134352/22/2A/10/L%21/21/s%2B1?17=271231&3103=000195&99=x',
    ],
    [['01=9506000134352', '235=TPX'], '/01/09506000134352/235/TPX'],
    // A second primary key describes the first.
    [['00=106141412345678908', '02=9506000134352', '37=12'], '/00/106141412345678908?02=09506000134352&37=12'],
    [['01=9506000134352', '17=270200'], '/01/09506000134352?17=270200'],
  ])('of %j is %s', (pairs, link) => {
    expect(linkOf(...pairs)).toBe(link)
  })

  it('has the values in its own order', () => {
    expect(readGs1(of('10=A', '01=40170725'))?.values).toEqual(of('01=00000040170725', '10=A'))
    expect(readGs1([])).toBeUndefined()
  })

  it.each([
    ['a wrong check digit of a GTIN-14', ['01=09506000134353'], 'gs1.values.0.value'],
    ['a wrong check digit of a GTIN-8', ['10=A', '01=40170726'], 'gs1.values.1.value'],
    ['a wrong check digit of an SSCC', ['00=106141412345678909'], 'gs1.values.0.value'],
    ['a wrong check digit of a GLN', ['414=9521141123455'], 'gs1.values.0.value'],
    ['a wrong check digit of a GRAI', ['8003=00614141123453789'], 'gs1.values.0.value'],
    ['a wrong check pair of a GMN', ['8013=1987654Ad4X4bL5ttr2310cXK'], 'gs1.values.0.value'],
    ['a GTIN of 11 digits', ['01=95060001343'], 'gs1.values.0.value'],
    ['a GTIN with a letter', ['01=O9506000134352'], 'gs1.values.0.value'],
    ['a lot of 21 characters', ['01=9506000134352', `10=${'x'.repeat(21)}`], 'gs1.values.1.value'],
    ['a lot with an umlaut', ['01=9506000134352', '10=ü'], 'gs1.values.1.value'],
    ['a lot with a space', ['01=9506000134352', '10=a b'], 'gs1.values.1.value'],
    ['an empty lot', ['01=9506000134352', '10='], 'gs1.values.1.value'],
    ['February 30', ['01=9506000134352', '17=270230'], 'gs1.values.1.value'],
    ['month 13', ['01=9506000134352', '17=271301'], 'gs1.values.1.value'],
    ['a freezing date without a day', ['01=9506000134352', '7006=270200'], 'gs1.values.1.value'],
    ['piece 3 of 2', ['8006=095060001343520302'], 'gs1.values.0.value'],
    ['an unknown identifier', ['01=9506000134352', '7777=1'], 'gs1.values.1.key'],
    ['seven decimals', ['01=9506000134352', '3107=000001'], 'gs1.values.1.key'],
    ['brackets', ['(01)=9506000134352'], 'gs1.values.0.key'],
    ['the same twice', ['01=9506000134352', '10=A', '10=B'], 'gs1.values.2.key'],
    ['no primary key', ['10=A'], 'gs1.values'],
    ['a qualifier of another key', ['00=106141412345678908', '21=1'], 'gs1.values.1.key'],
    ['both lists of qualifiers', ['01=9506000134352', '21=1', '235=T'], 'gs1.values.2.key'],
    ['a payment without its reference', ['415=4280000000002'], 'gs1.values'],
    ['too many', Array.from({ length: 31 }, (_, index) => `${index}=1`), 'gs1.values'],
    ['too much', ['01=9506000134352', ...[91, 92, 93].map((key) => `${key}=${'%'.repeat(90)}`)], 'gs1.values'],
  ])('is refused for %s', (_, pairs, field) => {
    expect(refusalOf(...pairs)).toBe(field)
  })
})
