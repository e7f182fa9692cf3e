/**
 * What the service does when it is started while its database is away: it answers the links of the redirect snapshot and
 * keeps their clicks in the journal, refuses everything else with 503, and asks the database once a second. When that
 * answers, this ends and the whole service is started.
 */
import { createServer, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Config } from './config/config.js'
import { Domains } from './core/domains/domains.js'
import { RedirectCache } from './core/links/redirect-cache.js'
import { systemClock } from './core/values/clock.js'
import { Refusal } from './core/values/refusal.js'
import { type RedirectHandler, redirectHandler } from './edges/redirect/handler.js'
import { linkRequestOf, sendBy } from './edges/redirect/link-request.js'
import { Closing } from './lib/closing.js'
import { openGeography } from './storage/geography/mmdb.js'
import { FileJournal } from './storage/journal/journal.js'
import { type RedirectSnapshot, readRedirectSnapshot } from './storage/redirect-snapshot/snapshot-file.js'
import { postgresAnswers } from './storage/sql/postgres.js'

/** Resolves when the database answers; false, at once, when there is nothing that could be served meanwhile. */
export async function serveDuringOutage(config: Config, log: Logger): Promise<boolean> {
  const { databaseUrl, dataDir } = config
  const snapshot = databaseUrl === undefined ? undefined : await readRedirectSnapshot(dataDir)
  if (databaseUrl === undefined || snapshot === undefined) return false
  const closing = new Closing()
  try {
    const redirects = await knownRedirects(config, snapshot, log, closing)
    closing.add(await listen(config, redirects))
    log.warn(
      { links: snapshot.targets.length, since: new Date(snapshot.writtenAt).toISOString() },
      'started without the database: the links that were used last are answered, everything else is refused until it is there',
    )
    do await wait(askEvery)
    while (!(await postgresAnswers(databaseUrl)))
    log.info('the database answers: starting the whole service')
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
): Promise<RedirectHandler> {
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
        // A copy that was written before domains could wait for proof does not say that they are proven.
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
  // How far the click log has come nobody can say now.
  const journal = closing.add(
    new FileJournal(join(config.dataDir, 'journal'), { durability: config.durability, delivered: 'unknown' }),
  )
  return redirectHandler({
    ...{ redirectCache, domains, journal, clock, log, config },
    mobileAppTable: { known: away },
    geography: openGeography(config.geography),
  })
}

async function listen({ host, port }: Config, redirects: RedirectHandler): Promise<{ close(): Promise<void> }> {
  const server = createServer((request, response) => {
    if (request.url === '/healthz') return answer(response, 200, { status: 'ok' })
    if (request.url === '/readyz') return answer(response, 200, { status: 'degraded' })
    if (!redirects(linkRequestOf(request), sendBy(request, response))) answer(response, 503, refusal)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port }, resolve)
  })
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeIdleConnections()
        setTimeout(() => server.closeAllConnections(), closingPatience).unref()
      }),
  }
}

const closingPatience = 1000

const refusal = {
  message: 'TEMPORARILY_UNAVAILABLE',
  resource: 'shortlinks',
  description: 'The database does not answer at the moment. Try again in a few seconds.',
}

function answer(response: ServerResponse, status: number, body: object): void {
  const headers = { 'content-type': 'application/json; charset=utf-8', 'snapshot-control': 'no-store' }
  response.writeHead(status, status === 503 ? { ...headers, 'retry-after': '1' } : headers).end(JSON.stringify(body))
}
