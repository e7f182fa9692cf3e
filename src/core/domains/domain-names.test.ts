import { describe, expect, it } from 'vitest'
import type { BuiltInDomain } from './domain-store.js'
import { DomainNames } from './domains.js'

function builtIn(key: string, name: string, ...formerNames: string[]): BuiltInDomain {
  return { key, name, formerNames, position: 0 }
}

describe('a domain that was renamed', () => {
  const names = new DomainNames([builtIn('localhost:8080', 'sho.rt', 'localhost:8080', 'localhost:9000')])

  it.each([
    ['sho.rt', 'localhost:8080/abc'],
    ['SHO.rt', 'localhost:8080/abc'],
    ['localhost:8080', 'localhost:8080/abc'],
    ['localhost:9000', 'localhost:8080/abc'],
    ['go.example.com', 'go.example.com/abc'],
    ['no domain', undefined],
  ])('stores what is written as %s/abc under %s', (domain, address) => {
    expect(names.addressOf(domain, 'abc')).toBe(address)
  })

  it('is shown by its current name, and others as they are', () => {
    expect(names.shown('localhost:8080/abc')).toBe('sho.rt/abc')
    expect(names.shown('go.example.com/abc')).toBe('go.example.com/abc')
    expect([names.nameOf('localhost:8080'), names.nameOf('go.example.com')]).toEqual(['sho.rt', 'go.example.com'])
  })
})

it('puts the port of the base URL into URLs on branded domains, and reads it in pasted ones', () => {
  const names = new DomainNames([builtIn('localhost:8080', 'localhost:8080'), builtIn('sho.rt', 'sho.rt')])
  const base = 'http://localhost:8080'
  expect(names.urlOf('go.example.com/abc', base)).toBe('http://go.example.com:8080/abc')
  expect(names.urlOf('localhost:8080/abc', base)).toBe('http://localhost:8080/abc')
  // Its name says that it is reached on the default port.
  expect(names.urlOf('sho.rt/abc', base)).toBe('http://sho.rt/abc')
  expect(names.urlOf('go.example.com/abc', 'http://[::1]:8080')).toBe('http://go.example.com:8080/abc')
  expect(names.urlOf('go.example.com/abc', 'http://[::1]')).toBe('http://go.example.com/abc')
  expect(names.urlOf('go.example.com/abc', 'http://links.example.com')).toBe('http://go.example.com/abc')
  expect(names.urlOf('go.example.com/abc', 'https://links.example.com:8443')).toBe('https://go.example.com/abc')
  expect(names.addressOf('GO.example.com:8080', 'abc')).toBe('go.example.com/abc')
  expect(names.addressOf('localhost:8080', 'abc')).toBe('localhost:8080/abc')
})

it('does not mix the links of two domains that have swapped their names', () => {
  const names = new DomainNames([builtIn('a.example', 'b.example'), builtIn('b.example', 'a.example')])
  for (const address of ['a.example/x', 'b.example/x']) {
    const [domain = '', backHalf = ''] = names.shown(address).split('/')
    expect(domain).not.toBe(address.split('/')[0])
    expect(names.addressOf(domain, backHalf)).toBe(address)
  }
})

it('lets a current name win over one that another domain gave up', () => {
  const names = new DomainNames([builtIn('a.example', 'c.example', 'b.example'), builtIn('x.example', 'b.example')])
  expect(names.keyOf('b.example')).toBe('x.example')
})
