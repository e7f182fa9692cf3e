import { describe, expect, it } from 'vitest'
import { hashPassword } from '../accounts/secrets.js'
import { unknownAccountHash } from './sign-in.js'

describe('the hash of nobody', () => {
  it('costs what the hash of somebody costs', async () => {
    const parameters = (hash: string) => hash.split('$').slice(0, 4)
    expect(parameters(unknownAccountHash)).toEqual(parameters(await hashPassword('anything')))
  })
})
