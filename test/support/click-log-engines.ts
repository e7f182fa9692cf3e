import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import type { ClickLogOptions, StoredClickLog } from '../../src/core/clicks/click-log.js'
import { openClickhouseClickLog } from '../../src/storage/clickhouse/click-log.js'
import { httpSession } from '../../src/storage/clickhouse/http-session.js'
import { openDuckdbClickLog } from '../../src/storage/duckdb/click-log.js'
import { ClickhouseServer } from './clickhouse-server.js'
import { enginesWanted } from './engines-wanted.js'

/** One of the engines that clicks are kept on: `describe.skipIf(engine.skip)(engine.title, ...)`. */
export interface ClickLogEngine {
  readonly name: 'duckdb' | 'clickhouse'
  /** The name, with the reason when the engine is skipped. */
  readonly title: string
  readonly skip: string | undefined
  /** A place for one log, empty. */
  create(): Promise<ClickLogPlace>
}

export interface ClickLogPlace {
  /** Opens the log that lies there; once closed it can be opened again. */
  open(options?: ClickLogOptions): Promise<StoredClickLog>
  remove(): Promise<void>
}

/** Both engines; ENGINES=duckdb,clickhouse narrows the run. To be called where suites are described. */
export function clickLogEngines(): readonly ClickLogEngine[] {
  const skip = ClickhouseServer.skip()
  const server = new ClickhouseServer()
  afterAll(() => server.stop())
  const duckdb: ClickLogEngine = { name: 'duckdb', title: 'DuckDB', skip: undefined, create: createDuckdbPlace }
  const title = skip === undefined ? 'ClickHouse' : `ClickHouse (skipped: ${skip})`
  const clickhouse: ClickLogEngine = { name: 'clickhouse', title, skip, create: () => createClickhousePlace(server) }
  return enginesWanted().has('duckdb') ? [duckdb, clickhouse] : [clickhouse]
}

/** For `describe.each(...)('%s')`; with `$title` a reason for skipping would be cut short. */
export function named(engines: readonly ClickLogEngine[]): (readonly [string, ClickLogEngine])[] {
  return engines.map((engine) => [engine.title, engine])
}

async function createDuckdbPlace(): Promise<ClickLogPlace> {
  const directory = mkdtempSync(join(tmpdir(), 'shortlink-clicks-'))
  return {
    // Runs short enough for a test's clicks to fill some.
    open: (options) =>
      openDuckdbClickLog(join(directory, 'clicks.duckdb'), { ...options, runSize: { runRows: 300, sliceRows: 100 } }),
    remove: async () => rmSync(directory, { recursive: true, force: true }),
  }
}

async function createClickhousePlace(server: ClickhouseServer): Promise<ClickLogPlace> {
  const url = await server.newDatabase()
  return {
    open: (options) => openClickhouseClickLog(httpSession(url), { ...options, sliceRows: 400 }),
    remove: () => server.drop(url),
  }
}
