/** The v3 metrics, requested like old clients and in random time zones, compared with the model. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Click } from '../../src/core/clicks/click.js'
import type { MetricsQuery } from '../../src/core/clicks/metrics-query.js'
import { readReferrer } from '../../src/core/clicks/referrer.js'
import type { Zone } from '../../src/core/values/zone.js'
import { aStranger } from '../api/alter-records.js'
import { asking } from '../api/v3/ask.js'
import { agents } from '../api/visits.js'
import { rounds } from '../support/rounds.js'
import { type StartedApp, startApp } from '../support/start-app.js'
import { expected, expectedNested, startOf } from './model.js'
import { aRandomClick, chanceFrom, period, seed } from './random.js'

const clickCount = 800
const questionsPerRound = 25
const minute = 60_000
const units = ['hour', 'day', 'week', 'month'] as const
/** Longer than a unit with all its clock changes, shorter than two and a half. */
const stride = { hour: 150 * minute, day: 3000 * minute, week: 9 * 1440 * minute, month: 40 * 1440 * minute }

describe(`v3 agrees with the model, with METRICS_SEED=${seed}`, () => {
  const chance = chanceFrom(seed)
  const folder = mkdtempSync(join(tmpdir(), 'shortlink-v3-model-'))
  const clicks: Click[] = []
  /** Subjects of reports, with the addresses whose clicks they count. */
  const subjects: { readonly link: string; readonly addresses: readonly string[] }[] = []
  let started: StartedApp
  let v3: ReturnType<typeof asking>
  beforeAll(async () => {
    started = await startApp()
    v3 = asking(started)
    const stranger = await aStranger(started)
    for (const page of [1, 2]) {
      const longUrl = `https://example.com/${page}`
      const mine = await v3.data('shorten', { longUrl })
      const theirs = await v3.data('shorten', { longUrl }, stranger.token)
      const addresses = [mine.hash, theirs.hash, mine.global_hash].map((hash) => `${started.domain}/${hash}`)
      subjects.push({ link: mine.url, addresses: addresses.slice(0, 1) })
      subjects.push({ link: `http://${started.domain}/${mine.global_hash}`, addresses })
    }
    await importClicks()
  })
  afterAll(async () => {
    await started.close()
    rmSync(folder, { recursive: true })
  })

  async function importClicks(): Promise<void> {
    const addresses = subjects.flatMap((subject) => subject.addresses)
    const lines = Array.from({ length: clickCount }, (_, number) => {
      // Click files have no views.
      const { kind: any, ...drawn } = aRandomClick(chance, number)
      const kind = any === 'view' ? 'click' : any
      const trafficClass = drawn.trafficClass === 'human' ? 'human' : 'bot'
      const text = drawn.referrer.referrer
      const referrer = readReferrer(text === 'direct' ? '' : text)
      clicks.push({
        ...drawn,
        kind,
        referrer,
        trafficClass,
        address: chance.of(addresses),
        at: drawn.at - (drawn.at % 1000),
      })
      const click = clicks[number]
      return JSON.stringify({
        link: click?.address,
        at: new Date(click?.at ?? 0).toISOString(),
        kind: click?.kind,
        user_agent: trafficClass === 'human' ? agents.desktop : agents.robot,
        ...(drawn.place.country && { country: drawn.place.country }),
        ...(text !== 'direct' && { referrer: referrer.referrer }),
      })
    })
    const file = join(folder, 'clicks.ndjson')
    writeFileSync(file, `${lines.join('\n')}\n`)
    const { app } = started
    const { state, counts } = await app.pipeline.importClicks(file, app.config, () => {})
    expect([state, counts.imported]).toEqual(['done', clickCount])
  }

  const zones = [
    'Australia/Lord_Howe',
    'America/St_Johns',
    'Asia/Kathmandu',
    'Europe/Berlin',
    'America/Havana',
    'Asia/Kolkata',
  ]
  const everywhere = Intl.supportedValuesOf('timeZone')

  function aZone(): { readonly sent: Record<string, string>; readonly zone: Zone } {
    if (chance.yes(0.1)) return { sent: {}, zone: 'America/New_York' }
    const name = chance.yes(0.5) ? 'timezone' : 'tz_offset'
    if (chance.yes(0.3)) {
      const hours = chance.below(29) - 14
      return { sent: { [name]: String(hours) }, zone: hours * 60 }
    }
    const zone = chance.yes(0.5) ? chance.of(zones) : chance.of(everywhere)
    return { sent: { [name]: zone }, zone }
  }

  /** The bucket starts, newest first, and the end of the newest: found by stepping, not by arithmetic. */
  function walked(reference: number, unit: keyof typeof stride, count: number, zone: Zone) {
    const starts = [startOf(reference, { unit, zone })]
    while (starts.length < count) starts.push(startOf((starts.at(-1) ?? 0) - minute, { unit, zone }))
    let to = startOf(reference + stride[unit], { unit, zone })
    for (let before = to; before !== starts[0]; before = startOf(to - minute, { unit, zone })) to = before
    return { starts, to }
  }

  it.each(Array.from({ length: rounds }, (_, round) => round + 1))('in round %i', { timeout: 120_000 }, async () => {
    for (let question = 0; question < questionsPerRound; question++) await compare()
  })

  async function compare(): Promise<void> {
    const subject = chance.of(subjects)
    const unit = chance.of(units)
    const { sent, zone } = aZone()
    const all = chance.yes(0.2)
    const count = all ? 1 : 1 + chance.below(unit === 'hour' ? 60 : 12)
    const reference = period.from + chance.below(period.to - period.from)
    const { starts, to } = walked(reference, unit, count, zone)
    const counted: MetricsQuery = {
      scope: { addresses: subject.addresses },
      kinds: ['click'],
      trafficClasses: ['human'],
      from: all ? undefined : starts.at(-1),
      to,
      by: [],
      bucket: { unit, zone },
      size: undefined,
      measure: 'events',
    }
    const arguments_ = { ...sent, unit, units: all ? -1 : count, unit_reference_ts: Math.floor(reference / 1000) }
    const query = { link: subject.link, ...arguments_ }
    const asked = JSON.stringify(query)
    const rows = (by: MetricsQuery['by'], size = 100) => expected(clicks, { ...counted, by, size })

    const total = await v3.data('link/clicks', query)
    expect(total.link_clicks, asked).toBe(rows([])[0]?.count)
    if (!all) {
      const series = await v3.data('link/clicks', { ...query, rollup: 'false' })
      const counts = new Map(expected(clicks, { ...counted, by: ['time'] }).map((row) => [row.start, row.count]))
      const wanted = starts.map((start) => ({ clicks: counts.get(start) ?? 0, dt: start / 1000 }))
      expect(series.link_clicks, asked).toEqual(wanted)
    }
    const limit = chance.yes(0.5) ? 1 + chance.below(5) : 100
    const { countries } = await v3.data('link/countries', { ...query, limit })
    expect(countries, asked).toEqual(
      rows(['country'], limit).map(({ values: [country], count: n }) => ({ clicks: n, country: country || 'None' })),
    )
    const { referrers } = await v3.data('link/referrers', { ...query, limit })
    expect(referrers, asked).toEqual(
      rows(['referrer'], limit).map(({ values: [referrer], count: n }) => ({ clicks: n, referrer })),
    )
    const byDomain = await v3.data('link/referrers_by_domain', { ...query, limit })
    const wantedByDomain = expectedNested(clicks, {
      ...counted,
      by: 'referrerDomain',
      size: limit,
      parts: { by: 'referrer', size: 1000 },
    }).map(({ value, parts }) => [value, parts.map((part) => ({ clicks: part.count, referrer: part.value }))])
    expect(Object.entries(byDomain.referrers), asked).toEqual(wantedByDomain)
    expect(byDomain.truncated).toEqual([])
    const { referring_domains: domains } = await v3.data('link/referring_domains', { ...query, limit })
    const shown = domains.map(({ clicks: n, domain }: { clicks: number; domain: string }) => [domain, n])
    expect(shown, asked).toEqual(rows(['referrerDomain'], limit).map(({ values: [domain], count: n }) => [domain, n]))
  }
})
