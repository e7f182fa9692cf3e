import { type RequestOptions, request } from 'node:https'
import type { TLSSocket } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { beginSession } from '../../src/core/sign-in/sessions.js'
import { type Caddy, noCaddy, startCaddy } from '../support/caddy.js'
import { type StartedApp, startApp } from '../support/start-app.js'

const title = noCaddy === undefined ? '' : ` (skipped: ${noCaddy})`

describe.skipIf(noCaddy !== undefined)(`deploy/Caddyfile in front of the service${title}`, () => {
  let started: StartedApp
  let caddy: Caddy
  let path: string

  beforeAll(async () => {
    started = await startApp({
      baseUrl: 'https://links.example.com',
      domains: ['s.example.com'],
      anyHost: false,
      trustProxy: 1,
    })
    const { domainStore } = started.app
    const organizationGuid = (await domainStore.organizationOf(started.groupGuid)) ?? ''
    const domain = { domain: 'go.brand.example', group_guids: [started.groupGuid] }
    await started.request('POST', `/v4/organizations/${organizationGuid}/domains`, { body: domain })
    const input = { long_url: 'https://example.com/landing', domain: 'go.brand.example' }
    const { body } = await started.request('POST', '/v4/shorten', { body: input })
    path = `/${body.id.split('/')[1]}`

    caddy = await startCaddy({ apiHost: 'links.example.com', upstream: new URL(started.url).host })
  })
  afterAll(async () => {
    await caddy?.close()
    await started.close()
  })

  interface Answer {
    readonly status: number | undefined
    readonly location: string | undefined
    readonly body: string
    readonly transportSecurity: string | string[] | undefined
    /** The names of the certificate, and its issuer. */
    readonly names: string | undefined
    readonly issuer: string | string[] | undefined
  }

  /** A visitor whose DNS points here. The test certificates are not trusted, so they are only inspected. */
  function visit(name: string, to: string, options: RequestOptions = {}): Promise<Answer> {
    const headers = { host: name, ...options.headers }
    const target = {
      host: '127.0.0.1',
      port: caddy.httpsPort,
      servername: name,
      path: to,
      rejectUnauthorized: false,
      agent: false as const,
    }
    return new Promise((resolve, reject) => {
      const sent = request({ ...target, ...options, headers }, (response) => {
        const certificate = (response.socket as TLSSocket).getPeerCertificate(true)
        let body = ''
        response.on('data', (chunk) => {
          body += chunk
        })
        response.once('end', () =>
          resolve({
            status: response.statusCode,
            location: response.headers.location,
            body,
            transportSecurity: response.headers['strict-transport-security'],
            names: certificate.subjectaltname,
            issuer: certificate.issuerCertificate?.issuer.CN,
          }),
        )
      })
      sent.once('error', reject)
      sent.end()
    })
  }

  it('gets a certificate for a branded domain and follows its links', async () => {
    expect(await visit('go.brand.example', path)).toEqual({
      status: 301,
      location: 'https://example.com/landing',
      body: '',
      transportSecurity: 'max-age=1209600',
      names: 'DNS:go.brand.example',
      issuer: expect.stringContaining('Caddy Local Authority'),
    })
  })

  it('gets one for a built-in short domain, and has one for the API', async () => {
    expect(await visit('s.example.com', '/')).toMatchObject({ status: 200, names: 'DNS:s.example.com' })
    const headers = { authorization: `Bearer ${started.token}` }
    expect(await visit('links.example.com', '/v4/bsds', { headers })).toMatchObject({ status: 200 })
  })

  it('leads a person from / of the API host to sign-in, and who is signed in to the dashboard', async () => {
    const front = await visit('links.example.com', '/')
    expect(front).toMatchObject({ status: 200, names: 'DNS:links.example.com' })
    const [, signIn = ''] = /<a class="go" href="([^"]+)"/.exec(front.body) ?? []
    const { location = '' } = await visit('links.example.com', signIn)
    expect(await visit('links.example.com', location)).toMatchObject({
      status: 200,
      body: expect.stringContaining('type="password"'),
    })
    const cookie = `__Host-shortlink_session=${await beginSession(started.app, 'admin')}`
    expect(await visit('links.example.com', '/', { headers: { cookie } })).toMatchObject({
      status: 303,
      location: '/app',
    })
    expect(await visit('links.example.com', '/app', { headers: { cookie } })).toMatchObject({
      status: 200,
      body: expect.stringContaining('<div id="root">'),
    })
  })

  it('gets none for a name that is not a short domain', async () => {
    await expect(visit('stranger.example', path)).rejects.toThrow(/alert/)
    await expect(visit('sub.go.brand.example', path)).rejects.toThrow(/alert/)
  })

  it('serves a domain as soon as it is added', async () => {
    await expect(visit('new.brand.example', '/')).rejects.toThrow(/alert/)
    const guid = await started.app.domainStore.organizationOf(started.groupGuid)
    await started.request('POST', `/v4/organizations/${guid}/domains`, { body: { domain: 'new.brand.example' } })
    expect(await visit('new.brand.example', '/')).toMatchObject({ status: 200, names: 'DNS:new.brand.example' })
  })

  it('does not expose operational endpoints', async () => {
    expect((await visit('links.example.com', '/metrics')).status).toBe(403)
    expect(await visit('links.example.com', '/readyz')).toMatchObject({ status: 200, body: '{"status":"ready"}' })
  })

  it('does not forward internal endpoints', async () => {
    const asked = await visit('links.example.com', '/internal/tls/ask?domain=go.brand.example')
    expect(asked.status).toBe(404)
  })
})
