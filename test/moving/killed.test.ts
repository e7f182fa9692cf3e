import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Closing } from '../../src/lib/closing.js'
import { domain, type Installation, startInstallation } from './importing.js'
import { shlink, startOtherService } from './other-services.js'

let at: Installation
beforeAll(async () => {
  at = await startInstallation()
}, 60_000)
afterAll(() => at.close())

let closing: Closing
beforeEach(() => {
  closing = new Closing()
})
afterEach(() => closing.close())

/** Kills the command several times, each time a little later, and runs it to its end. */
async function killAndRepeat(place: string, ...flags: string[]): Promise<{ links: Record<string, number> }> {
  for (let delay = 400; delay < 4_000; delay += 300 + Math.random() * 400) {
    const child = at.start(place, ...flags)
    const ended = once(child, 'exit')
    await Promise.race([wait(delay), ended])
    child.kill('SIGKILL')
    await ended
  }
  const last = await at.run(place, '--json', ...flags)
  expect(last).toMatchObject({ code: 0 })
  return JSON.parse(last.out)
}

async function clicksOfGroup(): Promise<number> {
  const { groups } = await at.api('/v4/groups')
  const [group] = groups as { guid: string }[]
  const { data } = await at.api(`/v4/groups/${group?.guid}/links/clicks/over_time?unit=month&units=-1`)
  return (data as { count: number }[]).reduce((sum, { count }) => sum + count, 0)
}

describe('an import that is killed at any moment and repeated', { timeout: 300_000 }, () => {
  it('ends the same: a dump of YOURLS', async () => {
    const links = Array.from(
      { length: 20_000 },
      (_, index) => `('k${index}','https://example.com/${index}','T','2015-01-01 00:00:00','::1',2)`,
    )
    const log = Array.from({ length: 60_000 }, (_, id) => {
      const time = new Date(Date.UTC(2016, 0) + Math.floor(id / 3) * 1000).toISOString().slice(0, 19).replace('T', ' ')
      return `(${id},'${time}','k${(id * 7) % 20_000}','direct','Mozilla/5.0 (X11; Linux x86_64) Firefox/120.0','','DE')`
    })
    const insert = (table: string, columns: string, rows: readonly string[]) =>
      `INSERT INTO \`yourls_${table}\` (${columns}) VALUES ${rows.join(',')};\n`
    const dump =
      insert('url', '`keyword`, `url`, `title`, `timestamp`, `ip`, `clicks`', links) +
      insert('log', '`click_id`, `click_time`, `shorturl`, `referrer`, `user_agent`, `ip_address`, `country_code`', log)
    const { links: counted } = await killAndRepeat(at.file('yourls.sql', dump))
    expect((counted.new ?? 0) + (counted.same ?? 0)).toBe(20_000)
    expect(await at.clicks('k7')).toBe(3)
    expect(await clicksOfGroup()).toBe(60_000)
    for (const index of [0, 1, 9_999, 19_999]) {
      expect(await at.visit(`k${index}`)).toEqual({ status: 301, location: `https://example.com/${index}` })
    }
  })

  it('ends the same: an API of Shlink, which gets new visits meanwhile', async () => {
    const before = await clicksOfGroup()
    const urls = Array.from({ length: 30 }, (_, index) => ({
      shortCode: `s${index}`,
      longUrl: `https://example.com/s/${index}`,
      visits: ['2022-01-01T10:00:00+01:00', '2022-01-01T10:00:00+01:00', '2022-01-02T10:00:00+01:00'],
    }))
    const service = closing.add(await startOtherService(shlink(urls, 's.example')))
    const more = setInterval(() => {
      for (const { visits } of urls) visits.push(new Date().toISOString())
    }, 500)
    const flags = ['--from', 'shlink', '--token-file', at.file('key', 'secret-key'), '--map', `s.example=${domain}`]
    try {
      await killAndRepeat(service.url, ...flags)
    } finally {
      clearInterval(more)
    }
    // Those since the beginning of the last run; the last second is left to the next run.
    await wait(2_000)
    await at.run(service.url, ...flags)
    const visits = urls.reduce((sum, each) => sum + each.visits.length, 0)
    expect((await clicksOfGroup()) - before).toBe(visits)
    expect(await at.clicks('s3')).toBe(urls[3]?.visits.length)
  })
})
