/**
 * Makes sure that processes with a shared database count clicks in one click log. Separate from app.ts, because
 * commands that open the click log need it too. A database in the data directory is not shared, so there is nothing to
 * check.
 */
import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Config } from '../../config/config.js'
import type { ClickStore, LeaseRow } from '../../core/clicks/click-store.js'
import {
  type Claim,
  type Claimed,
  claimClickLog,
  clickLogLease,
  HeldLease,
  inClickhouse,
  moveClickLog,
} from '../../core/clicks/lease.js'
import { randomBase62 } from '../../core/values/random.js'
import type { Logger } from '../../lib/logger.js'
import { OperatorError } from '../../lib/operator-error.js'

type HomeConfig = Pick<Config, 'databaseUrl' | 'dataDir' | 'clickhouseUrl'>
interface HomeStores {
  readonly clickStore: Pick<ClickStore, 'lease'>
}

/** Throws when the clicks of this database are counted elsewhere. Undefined when there is nothing to claim. */
export async function holdClickLog(
  config: HomeConfig,
  { clickStore }: HomeStores,
  log?: Logger,
): Promise<HeldLease | undefined> {
  if (config.databaseUrl === undefined) return undefined
  const lease = clickStore.lease(clickLogLease)
  const deps = { lease, wait }
  if (config.clickhouseUrl !== undefined) {
    const home = await lease.read()
    if (home?.id !== inClickhouse) requireHeld(await moveClickLog(deps, clickhouse(config.clickhouseUrl)), config)
    return undefined
  }
  const held = requireHeld(await claimClickLog(deps, { ...here(config.dataDir), holder: randomUUID() }), config)
  return new HeldLease(lease, held, {
    onLost: (other) =>
      log?.error(
        { other: other?.place },
        'another process has taken over the click log; clicks are counted in two places',
      ),
  })
}

/** Makes this data directory the click log. Returns where clicks were counted before. */
export async function moveClickLogHere(config: HomeConfig, { clickStore }: HomeStores): Promise<string | undefined> {
  const lease = clickStore.lease(clickLogLease)
  const before = await lease.read()
  const claim = here(config.dataDir)
  if (before?.id !== claim.id) requireHeld(await moveClickLog({ lease, wait }, claim), config)
  return before?.place
}

function clickhouse(url: string): Claim {
  return { id: inClickhouse, place: `ClickHouse at ${new URL(url).host}`, holder: '' }
}

function here(dataDir: string): Claim {
  return { id: identityIn(dataDir), place: `${dataDir} on ${hostname()}`, holder: '' }
}

function requireHeld(claimed: Claimed, { dataDir, clickhouseUrl }: HomeConfig): LeaseRow {
  if ('held' in claimed) return claimed.held
  const { by: home, refused } = claimed
  if (home.id === inClickhouse) {
    throw new OperatorError(
      `The clicks of this database are counted in ${home.place}. Set clickhouseUrl (SHORTLINK_CLICKHOUSE_URL) here too. ` +
        `To count them in ${dataDir} from now on, stop all processes and run "bin/shortlink click-log move" (docs/operating.md).`,
    )
  }
  if (clickhouseUrl !== undefined) {
    throw new OperatorError(
      `A running process still counts the clicks of this database in ${home.place}. Stop it, and set clickhouseUrl for it too.`,
    )
  }
  if (refused === 'in use') {
    throw new OperatorError(
      `A running process counts the clicks of this database in ${home.place}. Stop it first. For several processes at ` +
        'once set clickhouseUrl (SHORTLINK_CLICKHOUSE_URL) for all of them (docs/clickhouse.md).',
    )
  }
  throw new OperatorError(
    `The clicks of this database are counted in ${home.place}; a second click log in ${dataDir} would report other numbers. ` +
      'For several processes, set clickhouseUrl (SHORTLINK_CLICKHOUSE_URL) for all of them (docs/clickhouse.md). ' +
      'To continue in this data directory instead, stop the other process and run "bin/shortlink click-log move" (docs/operating.md).',
  )
}

/** The permanent id of the data directory, wherever it is mounted. */
function identityIn(dataDir: string): string {
  const file = join(dataDir, 'click-log.id')
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    const known = readIfThere(file)
    if (known !== undefined && /^\w{8,}$/.test(known)) return known
    const id = randomBase62(16)
    // Written to a temporary file and renamed: half an id would be another id.
    writeFileSync(`${file}.new`, id, { mode: 0o600, flush: true })
    renameSync(`${file}.new`, file)
    return id
  } catch (error) {
    const reason = (error as Error).message
    throw new OperatorError(
      `Cannot read or create ${file} (${reason}). Make the service's user the owner of its folder.`,
    )
  }
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
