import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { loadSettings } from '../../config/load.js'
import { sampleOf } from '../../lib/sample.builder.js'
import { loadProviders, type ProvidersConfig } from './providers-file.js'

const folder = mkdtempSync(join(tmpdir(), 'shortlink-providers-'))
afterAll(() => rmSync(folder, { recursive: true }))

const none = sampleOf<ProvidersConfig>(loadSettings({ flags: {}, env: {}, cwd: folder }).config)
const inFile = (content: unknown) => {
  const oidcProviders = join(folder, 'providers.json')
  writeFileSync(oidcProviders, typeof content === 'string' ? content : JSON.stringify(content))
  return loadProviders(none({ oidcProviders }))
}
const scimToken = 'x'.repeat(40)
const staff = { id: 'staff', issuer: 'https://id.example.com/', clientId: 'c' }

describe('identity providers', () => {
  it('are none without options', () => {
    expect(loadProviders(none())).toEqual([])
  })

  it('come from options, also with groups whose names have odd signs', () => {
    const oidcGroupRoles = ['a=b@c=member@B1', 'it=org-admin@O1', 'law=auditor@O1']
    const options = { oidcIssuer: 'https://id.example.com', oidcClientId: 'c', oidcGroupRoles }
    expect(loadProviders(none(options))).toMatchObject([
      {
        id: 'oidc',
        name: 'id.example.com',
        groupRoles: [
          { group: 'a=b@c', role: 'member', in: 'B1' },
          { group: 'it', role: 'org-admin', in: 'O1' },
          { group: 'law', role: 'auditor', in: 'O1' },
        ],
      },
    ])
  })

  it('come from a file, with secrets in files beside it', () => {
    writeFileSync(join(folder, 'secret'), 'from a file\n')
    const partners = { id: 'partners', issuer: 'http://localhost:9000', clientId: 'd', createUsers: false }
    expect(inFile([{ ...staff, clientSecretFile: 'secret' }, partners])).toMatchObject([
      { id: 'staff', name: 'id.example.com', clientSecret: 'from a file', createUsers: true },
      { id: 'partners', clientSecret: undefined, createUsers: false },
    ])
  })

  it.each([
    [[{ ...staff, issuers: 'x' }], /not valid at/],
    [[{ id: 'staff' }], /not valid at/],
    [[staff, { ...staff, issuer: 'https://two.example' }], /"staff" is there twice/],
    [[staff, { ...staff, id: 'two', issuer: 'https://id.example.com' }], /"https:\/\/id.example.com" is there twice/],
    [
      [staff, { ...staff, id: 'two', issuer: 'https://id.example.com/.well-known/openid-configuration' }],
      /"https:\/\/id.example.com" is there twice/,
    ],
    [[{ ...staff, issuer: 'http://id.example.com' }], /must be an https URL/],
    [[{ ...staff, clientSecretFile: 'none' }], /cannot read the secret of "staff"/],
    [[{ ...staff, groupRoles: [{ group: 'a', role: 'org-admin', in: 'B1' }] }], /not valid at/],
    [[{ ...staff, scopes: 'profile' }], /not valid at/],
    [[{ ...staff, scimToken: 'short' }], /not valid at/],
    [[{ ...staff, scimTokenFile: 'secret' }], /the scimToken of "staff" is not allowed. Allowed: 20 to 256/],
    [[{ ...staff, scimTokenFile: 'none' }], /cannot read the scimToken of "staff"/],
    [[{ ...staff, scimToken, scimTokenFile: 'none' }], /has scimToken and scimTokenFile/],
    [
      [
        { ...staff, scimToken },
        { ...staff, id: 'b', issuer: 'https://b.example', scimToken },
      ],
      /of one provider only/,
    ],
    [
      [
        { ...staff, autoRedirect: true },
        { ...staff, id: 'b', issuer: 'https://b.example', autoRedirect: true },
      ],
      /one provider/,
    ],
    ['[{"clientSecret": "hush" x', /it is not valid JSON/],
  ])('are refused with what is wrong: %j', (content, message) => {
    expect(() => inFile(content)).toThrow(message)
  })

  it('are refused with every problem at once', () => {
    const content = [{ ...staff, issuer: 'http://a.example', clientSecretFile: 'none' }]
    expect(() => inFile(content)).toThrow(/https URL[\s\S]*cannot read the secret/)
    expect(() => loadProviders(none({ oidcIssuer: 'https://id.example' }))).toThrow('set oidcClientId too')
    expect(() => loadProviders(none({ oidcClientId: 'c' }))).toThrow('set oidcIssuer too')
    expect(() => loadProviders(none({ scimToken }))).toThrow('scimToken: set oidcIssuer too')
    const both = { scimToken, oidcProviders: join(folder, 'providers.json') }
    expect(() => loadProviders(none(both))).toThrow('scimToken: put it into the file')
    expect(() => loadProviders(none({ passwordLogin: 'off' }))).toThrow('off needs an identity provider')
  })
})
