import { describe, expect, it } from 'vitest'
import { normaliseDomainName } from './domain-name.js'
import { Refusal } from './refusal.js'

describe('a branded short domain', () => {
  it.each([
    ['go.example.com', 'go.example.com'],
    ['Go.EXAMPLE.com', 'go.example.com'],
    ['go.example.com.', 'go.example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['1.example', '1.example'],
    ['a-b.co', 'a-b.co'],
    [`${'a'.repeat(29)}.io`, `${'a'.repeat(29)}.io`],
  ])('%s is kept as %s', (text, name) => {
    expect(normaliseDomainName(text)).toBe(name)
  })

  it.each([
    '',
    'localhost',
    'go.example.com:8080',
    'https://go.example.com',
    'go.example.com/',
    'go.example.com/x',
    'go example.com',
    'go..example.com',
    '.example.com',
    '-go.example.com',
    'go-.example.com',
    'go_.example.com',
    'user@example.com',
    '*.example.com',
    '127.0.0.1',
    '1.2',
    '[::1]',
    '%67o.example.com',
    'go.example.com\n',
    `${'a'.repeat(64)}.io`,
    `${'a'.repeat(30)}.io`,
    `${'ü'.repeat(28)}.io`,
  ])('cannot be %j', (text) => {
    expect(() => normaliseDomainName(text)).toThrow(Refusal)
  })
})
