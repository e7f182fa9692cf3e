import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ClickLog, ClickLogOptions } from '../../src/core/clicks/click-log.js'
import { openDuckdbClickLog } from '../../src/storage/duckdb/click-log.js'

/** One of the engines that clicks are kept on: `describe.skipIf(engine.skip)(engine.title, ...)`. */
export interface ClickLogEngine {
  readonly name: string
  /** The name, with the reason when the engine is skipped. */
  readonly title: string
  readonly skip: string | undefined
  /** A place for one log, empty. */
  create(): Promise<ClickLogPlace>
}

export interface ClickLogPlace {
  /** Opens the log that lies there; once closed it can be opened again. */
  open(options?: ClickLogOptions): Promise<ClickLog>
  remove(): Promise<void>
}

export function clickLogEngines(): readonly ClickLogEngine[] {
  return [{ name: 'duckdb', title: 'DuckDB', skip: undefined, create: createDuckdbPlace }]
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
