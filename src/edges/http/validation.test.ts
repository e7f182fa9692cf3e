import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { expect, it } from 'vitest'
import { validatorCompiler } from './validation.js'

const Body = Type.Object({
  long_url: Type.String(),
  count: Type.Optional(Type.Integer({ minimum: 1 })),
  tags: Type.Optional(Type.Array(Type.String(), { maxItems: 3 })),
  nested: Type.Optional(Type.Object({ name: Type.String() })),
})

const validate = validatorCompiler({ schema: Body, method: 'POST', url: '/', httpPart: 'body' })

it.each([
  [{}],
  [{ count: 0 }],
  [{ long_url: 5, count: 'x' }],
  [{ long_url: 'a', count: 0, tags: 5 }],
  [{ long_url: 'a', tags: ['a', 5] }],
  [{ long_url: 'a', tags: ['a', 'b', 'c', 'd'] }],
  [{ long_url: 'a', nested: {} }],
  [[]],
  [5],
])('%j: names the fault that the library finds first', (body) => {
  const [theirs] = Compile(Body).Errors(body)
  expect(faultOf(body)).toEqual(plainly(theirs))
})

it('lets through what is right, whatever else there is', () => {
  expect(validate({ long_url: 'a', count: 1, more: true })).toEqual({
    value: { long_url: 'a', count: 1, more: true },
  })
})

it('does not go on looking in a list once it has found a fault', () => {
  let read = 0
  const tags = new Proxy(Array(500_000).fill(5), {
    get(list, name, self) {
      if (typeof name === 'string' && /^\d+$/.test(name)) read++
      return Reflect.get(list, name, self)
    },
  })
  expect(faultOf({ long_url: 'a', tags })).toMatchObject({ argument: 'tags' })
  expect(read).toBeLessThan(10)
})

function faultOf(body: unknown) {
  const { error } = validate(body) as { error: readonly object[] }
  return plainly(error[0])
}

/** What edges read of a fault. */
function plainly(fault: object = {}) {
  const { instancePath, params } = fault as { instancePath: string; params: { requiredProperties?: string[] } }
  return { argument: instancePath.split('/')[1] ?? params.requiredProperties?.[0] }
}
