import { expect, it } from 'vitest'
import { type IdentityProvider, nameOfIssuer } from './provider.js'

it('names an issuer as its button does, and by its host when it is no longer configured', () => {
  const settings = { name: 'Example', issuer: 'https://id.example/' } as IdentityProvider['settings']
  expect(nameOfIssuer([{ settings }], 'https://id.example')).toBe('Example')
  expect(nameOfIssuer([], 'https://id.example/realms/staff')).toBe('id.example')
  expect(nameOfIssuer([], 'not a URL')).toBe('not a URL')
})
