import { expect, it } from 'vitest'
import { sortedJson } from './sorted-json.js'

const written = (value: unknown) => [...sortedJson(value)].join('')

it.each([
  ['text', '"te\\"xt\\ud800"'],
  ['numbers', '[1,-0.5,1e+21]'],
  ['other values', '[null,true,false,"",[],{}]'],
  ['nested arrays and objects', '{"a":[{"b":[1,[2]]},3],"c":{"d":"e"}}'],
  ['names', '{"":1,"\\"":2,"A":3,"a":4,"\u00e4":5}'],
])('writes %s as JSON.stringify does', (_, json) => {
  expect(written(JSON.parse(json))).toBe(JSON.stringify(JSON.parse(json)))
})

it('sorts the fields of objects, not the items of arrays', () => {
  expect(written({ b: [2, 1, { d: 1, c: 2 }], a: 0 })).toBe('{"a":0,"b":[2,1,{"c":2,"d":1}]}')
})

it('gives long texts in pieces', () => {
  const long = { a: Array.from({ length: 5000 }, (_, n) => `item ${n}`), b: 1 }
  expect([...sortedJson(long)].length).toBeGreaterThan(2)
  expect(written(long)).toBe(JSON.stringify(long))
})

it('keeps different values apart', () => {
  const values = [
    [],
    [[]],
    [[], []],
    {},
    [{}],
    { a: 1 },
    { a: '1' },
    [1, 2],
    [12],
    ['1,2'],
    { a: 1, b: 2 },
    null,
    'null',
  ]
  expect(new Set(values.map(written)).size).toBe(values.length)
})

it('takes the form that a value gives itself', () => {
  expect(written({ toJSON: () => 'a hash' })).toBe('"a hash"')
  expect(written({ toJSON: 5 })).toBe('{"toJSON":5}')
})
