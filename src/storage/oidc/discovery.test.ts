import { describe, expect, it } from 'vitest'
import { discoveryUrl, read } from './discovery.js'

const realm = 'https://keycloak.example.com/realms/staff'
const protocol = `${realm}/protocol/openid-connect`
/** The shape of Keycloak 26, shortened. */
const keycloak = {
  issuer: realm,
  authorization_endpoint: `${protocol}/auth`,
  token_endpoint: `${protocol}/token`,
  introspection_endpoint: `${protocol}/token/introspect`,
  userinfo_endpoint: `${protocol}/userinfo`,
  end_session_endpoint: `${protocol}/logout`,
  jwks_uri: `${protocol}/certs`,
  check_session_iframe: `${protocol}/login-status-iframe.html`,
  grant_types_supported: ['authorization_code', 'refresh_token'],
  acr_values_supported: ['0', '1'],
  response_types_supported: ['code', 'none', 'id_token'],
  subject_types_supported: ['public', 'pairwise'],
  id_token_signing_alg_values_supported: ['PS384', 'RS384', 'EdDSA', 'ES384', 'HS256', 'RS256'],
  token_endpoint_auth_methods_supported: ['private_key_jwt', 'client_secret_basic', 'client_secret_post'],
  code_challenge_methods_supported: ['plain', 'S256'],
  backchannel_logout_supported: true,
  backchannel_logout_session_supported: true,
  mtls_endpoint_aliases: { token_endpoint: `${protocol}/token` },
  authorization_response_iss_parameter_supported: true,
}

describe('the discovery document', () => {
  it.each([
    ['https://id.example', 'https://id.example/.well-known/openid-configuration'],
    ['https://id.example/', 'https://id.example/.well-known/openid-configuration'],
    ['https://id.example/a/b/', 'https://id.example/a/b/.well-known/openid-configuration'],
    ['https://id.example/.well-known/openid-configuration', 'https://id.example/.well-known/openid-configuration'],
  ])('of %s is at %s', (issuer, url) => {
    expect(discoveryUrl(issuer)).toBe(url)
  })

  it('of Keycloak is understood', () => {
    const { metadata, isInsecure } = read(keycloak, `${realm}/`, 'https://url')
    expect(metadata).toEqual(keycloak)
    expect(isInsecure).toBe(false)
  })

  it('may have relative endpoints', () => {
    const { metadata } = read({ ...keycloak, token_endpoint: 'token', jwks_uri: '/certs' }, realm, 'https://url')
    expect(metadata.token_endpoint).toBe(`${realm}/token`)
    expect(metadata.jwks_uri).toBe('https://keycloak.example.com/certs')
  })

  it.each([
    ['of another issuer', { issuer: 'https://other.example' }, /is of the issuer https:\/\/other.example, not of/],
    ['with an endpoint over http', { token_endpoint: 'http://keycloak.example.com/token' }, /is not an https URL/],
    ['with an endpoint on this machine', { token_endpoint: 'http://127.0.0.1/token' }, /is not an https URL/],
    ['without keys', { jwks_uri: undefined }, /has no jwks_uri/],
    ['without an issuer', { issuer: 7 }, /has no issuer/],
  ])('%s is refused', (_, change, message) => {
    expect(() => read({ ...keycloak, ...change }, realm, 'https://url')).toThrow(message)
  })

  it('that is no object is refused', () => {
    expect(() => read(['issuer'], realm, 'https://url')).toThrow('https://url has no issuer')
  })
})
