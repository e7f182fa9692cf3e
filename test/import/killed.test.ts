/** Imports of every product, killed at random moments and repeated. SEED=<number> repeats the moments of a run. */
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import Database from 'libsql'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Closing } from '../../src/lib/closing.js'
import { Random } from '../archives/random.js'
import { rounds } from '../support/rounds.js'
import { domain, type Installation, startInstallation } from './importing.js'
import { bitly, dub, type OtherProduct, shlink, startOtherService } from './other-services.js'

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
console.log(`moving/killed: SEED=${seed}`)
const random = new Random(seed)

let at: Installation
beforeAll(async () => {
  at = await startInstallation()
}, 120_000)
afterAll(() => at.close())

let closing: Closing
beforeEach(() => {
  closing = new Closing()
})
afterEach(() => closing.close())

/** Kills the command at random moments, and runs it to its end. */
async function killAndRepeat(place: string, ...flags: string[]): Promise<{ links: Record<string, number> }> {
  for (let kills = 0; kills < rounds; kills += 1) {
    const child = at.start(place, ...flags)
    const ended = once(child, 'exit')
    await Promise.race([wait(350 + random.below(2_500)), ended])
    child.kill('SIGKILL')
    await ended
  }
  const last = await at.run(place, '--json', ...flags)
  expect(last.code, last.err).toBe(0)
  return JSON.parse(last.out)
}

async function clicksOfGroup(): Promise<number> {
  const { groups } = await at.api('/v4/groups')
  const [group] = groups as { guid: string }[]
  const { data } = await at.api(`/v4/groups/${group?.guid}/links/clicks/over_time?unit=month&units=-1`)
  return (data as { count: number }[]).reduce((sum, { count }) => sum + count, 0)
}

describe('an import that is killed at any moment and repeated', { timeout: 300_000 * rounds }, () => {
  it('ends the same: a dump of YOURLS', async () => {
    const links = Array.from(
      { length: 2_000 },
      (_, index) => `('k${index}','https://example.com/${index}','T','2015-01-01 00:00:00','::1',2)`,
    )
    const log = Array.from({ length: 6_000 }, (_, id) => {
      const time = new Date(Date.UTC(2016, 0) + Math.floor(id / 3) * 1000).toISOString().slice(0, 19).replace('T', ' ')
      return `(${id},'${time}','k${(id * 7) % 2_000}','direct','Mozilla/5.0 (X11; Linux x86_64) Firefox/120.0','','DE')`
    })
    const insert = (table: string, columns: string, rows: readonly string[]) =>
      `INSERT INTO \`yourls_${table}\` (${columns}) VALUES ${rows.join(',')};\n`
    const dump =
      insert('url', '`keyword`, `url`, `title`, `timestamp`, `ip`, `clicks`', links) +
      insert('log', '`click_id`, `click_time`, `shorturl`, `referrer`, `user_agent`, `ip_address`, `country_code`', log)
    const { links: counted } = await killAndRepeat(at.file('yourls.sql', dump))
    expect((counted.new ?? 0) + (counted.same ?? 0)).toBe(2_000)
    expect(await at.clicks('k7')).toBe(3)
    expect(await clicksOfGroup()).toBe(6_000)
    for (let index = 0; index < 2_000; index += 1 + random.below(40)) {
      expect(await at.visit(`k${index}`)).toEqual({ status: 301, location: `https://example.com/${index}` })
    }
  })

  const count = 60
  const day = (index: number) => new Date(Date.UTC(2023, 0, 1 + (index % 300))).toISOString()
  const numbers = Array.from({ length: count }, (_, index) => index)
  const longUrl = (name: string, index: number) => `https://example.com/${name}/${index}`

  /** `clicks` of each of the links `<name><index>`. */
  async function endsTheSame(name: string, clicks: number, place: string, ...flags: string[]): Promise<void> {
    const before = await clicksOfGroup()
    const { links } = await killAndRepeat(place, ...flags)
    expect((links.new ?? 0) + (links.same ?? 0)).toBe(count)
    expect((await clicksOfGroup()) - before).toBe(count * clicks)
    for (const index of numbers) {
      expect(await at.visit(`${name}${index}`)).toEqual({ status: 301, location: longUrl(name, index) })
    }
    const again = JSON.parse((await at.run(place, '--json', ...flags)).out)
    expect(again).toMatchObject({
      links: { new: 0, same: count },
      clicks: { imported: 0, before: count * clicks, unknown: 0 },
    })
  }

  async function apiEndsTheSame(name: string, clicks: number, product: OtherProduct, ...flags: string[]) {
    const service = closing.add(await startOtherService(product))
    await endsTheSame(name, clicks, service.url, '--token-file', at.file('key', 'secret-key'), ...flags)
  }

  it('ends the same: a table', async () => {
    const rows = numbers.map((index) => `${domain}/c${index},${longUrl('c', index)},${day(index)},4`)
    await endsTheSame('c', 4, at.file('links.csv', ['link,long_url,created_at,clicks', ...rows].join('\n')))
  })

  it('ends the same: the SQLite file of Kutt', async () => {
    const path = at.file('kutt.sqlite', '')
    const database = new Database(path)
    database.exec(`
      CREATE TABLE domains (id integer primary key, banned boolean, address varchar(255), homepage varchar(255), user_id integer);
      CREATE TABLE links (id integer primary key, address text, target text, banned boolean, created_at datetime);
      CREATE TABLE visits (id integer primary key, link_id integer, total integer, countries json, referrers json, created_at datetime);
    `)
    const link = database.prepare('INSERT INTO links VALUES (?, ?, ?, 0, ?)')
    const visit = database.prepare(
      'INSERT INTO visits (link_id, total, countries, referrers, created_at) VALUES (?, ?, ?, ?, ?)',
    )
    for (const index of numbers) {
      link.run([index + 1, `ku${index}`, longUrl('ku', index), '2022-01-01 00:00:00'])
      for (const [hour, total] of [
        ['2023-01-01 10:00:00', 2],
        ['2023-01-02 11:00:00', 3],
      ])
        visit.run([index + 1, total, `{"de":${total}}`, `{"direct":${total}}`, hour])
    }
    database.close()
    await endsTheSame('ku', 5, path)
  })

  it('ends the same: an API of Dub', async () => {
    const links = numbers.map((index) => ({
      key: `du${index}`,
      url: longUrl('du', index),
      createdAt: '2023-01-01T00:00:00.000Z',
      ...(index % 3 === 0 && { folder: 'fold_a' }),
      clicks: [day(index), day(index), '2024-06-01T00:00:00.000Z'].sort(),
    }))
    await apiEndsTheSame('du', 3, dub(links), '--from', 'dub', '--map', `dub.example=${domain}`)
  })

  it('ends the same: an API of Bitly', async () => {
    const links = numbers.map((index) => ({
      id: `bit.ly/bi${index}`,
      longUrl: longUrl('bi', index),
      days: { [`bit.ly/bi${index}`]: { [day(index).slice(0, 10)]: 6, '2024-01-01': 1 } },
    }))
    await apiEndsTheSame('bi', 7, bitly(links), '--from', 'bitly', '--map', `bit.ly=${domain}`)
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
