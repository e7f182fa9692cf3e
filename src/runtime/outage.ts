/**
 * Outage mode, when the service starts while its database is unreachable: it serves the links of the redirect snapshot,
 * keeps their clicks in the journal, refuses everything else with 503, and tries the database once a second. When the
 * database answers, outage mode ends and the service starts.
 */
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Config } from '../config/config.js'
import { Domains } from '../core/domains/domains.js'
import { RedirectCache } from '../core/links/redirect-cache.js'
import { Refusal } from '../core/values/refusal.js'
import { systemClock } from '../core/values/time.js'
import { type RedirectHandler, redirectHandler } from '../edges/redirect/handler.js'
import { Closing } from '../lib/closing.js'
import { openGeography } from '../storage/geography/mmdb.js'
import { FileJournal } from '../storage/journal/journal.js'
import { type RedirectSnapshot, readRedirectSnapshot } from '../storage/redirect-snapshot/snapshot.js'
import { postgresFailure } from '../storage/sql/postgres.js'
import { serveRedirectsOnly } from './redirects-only.js'

/**
 * Resolves with true when the database answers; with false at once when there is no snapshot to serve. `reason`: why the
 * service could not start.
 */
export async function serveDuringOutage(config: Config, log: Logger, reason: string): Promise<boolean> {
  const { databaseUrl, dataDir } = config
  const snapshot = databaseUrl === undefined ? undefined : await readRedirectSnapshot(dataDir)
  if (databaseUrl === undefined || snapshot === undefined) return false
  const closing = new Closing()
  try {
    let failure = reason
    const since = new Date().toISOString()
    const known = await knownRedirects(config, snapshot, log, closing)
    const state = () => ({
      trouble: `records: ${failure} Recently used links redirect, everything else is refused.`,
      servers: { postgresql: { state: 'failing', failure, since } as const },
    })
    closing.add(await serveRedirectsOnly(config, { ...known, description, retryAfter: 1, state }))
    log.warn(
      { links: snapshot.targets.length, since: new Date(snapshot.writtenAt).toISOString() },
      'cannot reach the database; serving recently used links, refusing everything else',
    )
    for (;;) {
      await wait(askEvery)
      const found = await postgresFailure(databaseUrl)
      if (found === undefined) break
      failure = found
    }
    log.info('database is reachable; starting the service')
    return true
  } finally {
    await closing.close()
  }
}

const askEvery = 1000

async function knownRedirects(
  config: Config,
  snapshot: RedirectSnapshot,
  log: Logger,
  closing: Closing,
): Promise<{ redirects: RedirectHandler; journal: FileJournal }> {
  const away = async (): Promise<never> => {
    throw new Refusal('TEMPORARILY_UNAVAILABLE', 'The database does not answer.')
  }
  const clock = systemClock
  const unchanged = { maxAge: Number.POSITIVE_INFINITY, version: () => 0, onChange: () => {} }
  const redirectCache = new RedirectCache(
    { links: { target: away }, clock, externalChanges: unchanged },
    snapshot.targets.length * 2,
  )
  for (const target of snapshot.targets) redirectCache.keep(target)
  const domains = new Domains(
    {
      domainStore: {
        version: async () => 0,
        // Snapshots of versions before domain verification lack `isProven`; all their domains count as proven.
        list: async () => snapshot.branded.map((domain) => ({ ...domain, isProven: domain.isProven ?? true })),
        preferences: async () => new Map(),
        prove: away,
        listBuiltIn: async () => snapshot.builtIn,
      },
      onFailure: () => {},
    },
    { builtIn: config.domains, baseUrl: config.baseUrl },
  )
  await domains.refresh()
  // The cursor of the click log is unknown during the outage.
  const journal = closing.add(
    new FileJournal(join(config.dataDir, 'journal'), { durability: config.durability, delivered: 'unknown' }),
  )
  const redirects = redirectHandler({
    redirectCache,
    domains,
    journal,
    clock,
    log,
    config,
    mobileAppTable: { known: away },
    geography: openGeography(config.geography),
  })
  return { redirects, journal }
}

const description = 'The database does not answer at the moment. Try again in a few seconds.'
