import { describe, expect, it } from 'vitest'
import { lockRecords } from '../support/lock-records.js'
import { useApp } from '../support/start-app.js'

describe('a service whose SQLite file is locked by another program', () => {
  const app = useApp()

  it('answers visitors at once, refuses writers in the end, and blocks the event loop for nobody', async () => {
    const { body } = await app.request('POST', '/v4/shorten', { body: { long_url: 'https://example.com/locked' } })
    const other = await lockRecords(app.app.config.dataDir)
    try {
      let turns = 0
      const ticking = setInterval(() => turns++, 1)
      const writing = Promise.all(
        Array.from({ length: 5 }, (_, index) =>
          app.request('POST', '/v4/shorten', { body: { long_url: `https://example.com/new/${index}` } }),
        ),
      )
      let written = false
      const done = writing.finally(() => {
        written = true
      })
      let visits = 0
      while (!written) {
        expect((await app.request('GET', `/${body.id.split('/')[1]}`, { token: null })).status).toBe(301)
        expect((await app.request('GET', `/none${visits}`, { token: null })).status).toBe(404)
        visits++
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
      clearInterval(ticking)
      const refused = await done
      expect(refused.map(({ status, body }) => [status, body.message])).toEqual(
        Array.from({ length: 5 }, () => [503, 'TEMPORARILY_UNAVAILABLE']),
      )
      // Visitors were answered all the time, not only between the tries of the writers.
      expect(visits).toBeGreaterThan(20)
      expect(turns).toBeGreaterThan(visits)
    } finally {
      other.exec('ROLLBACK')
      other.close()
    }
    expect((await app.request('POST', '/v4/shorten', { body: { long_url: 'https://example.com/new/0' } })).status).toBe(
      201,
    )
  })
})
