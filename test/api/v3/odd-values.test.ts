import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { isInternalError, oddRequests } from '../../fuzz/odd-values.mjs'
import { rounds } from '../../support/rounds.js'
import { useApp } from '../../support/start-app.js'
import { asking } from './ask.js'

const seed = Number(process.env.SEED ?? 3)
const document = JSON.parse(readFileSync('docs/openapi/v3.json', 'utf8'))

describe('v3 with odd values', () => {
  const started = useApp()

  it('never answers UNKNOWN_ERROR', { timeout: 600_000 }, async () => {
    const v3 = asking(started)
    const { url, hash, long_url } = await v3.data('shorten', { longUrl: 'https://example.com/odd' })
    // More than a search reads in one step.
    const links = Array.from({ length: 450 }, (_, index) => ({ long_url: `https://example.com/odd/${index}` }))
    expect((await started.request('POST', '/v4/bulk/shorten', { body: { links } })).body.created).toBe(450)
    const known = [url, hash, long_url, started.domain, 'admin', 'example.com', 'clicks']
    const failed: string[] = []
    for (const { path, query } of oddRequests(document, { seed, rounds: 2 * rounds, known })) {
      const asked = `${path}?access_token=${started.token}&${query}`
      const { status, text } = await started.request('GET', asked, { token: null, isShown: false })
      if (isInternalError(status, text)) failed.push(`${path}?${query}`)
    }
    expect(failed).toEqual([])
  })
})
