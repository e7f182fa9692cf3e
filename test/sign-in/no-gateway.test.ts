import { afterEach, describe, expect, it, vi } from 'vitest'
import { type StartedApp, startApp } from '../support/start-app.js'

describe('a service without an SMS gateway', () => {
  let started: StartedApp | undefined
  afterEach(async () => {
    vi.unstubAllEnvs()
    await started?.close()
  })
  const begin = async () => {
    const body = { password: 'correct horse', phone: '+4915123456789' }
    return started?.request('POST', '/v4/user/two_factor/sms', { body })
  }

  it('refuses codes by SMS in production and says what to do', async () => {
    vi.stubEnv('NODE_ENV', 'production')
    started = await startApp()
    const answer = await begin()
    expect([answer?.status, answer?.body.message]).toEqual([400, 'BAD_REQUEST'])
    expect(answer?.body.description).toContain('smsGatewayUrl')
  })

  it('writes the code to the log in development', async () => {
    vi.stubEnv('NODE_ENV', 'development')
    started = await startApp()
    expect((await begin())?.status).toBe(200)
  })
})
