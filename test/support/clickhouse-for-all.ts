/**
 * Installs the ClickHouse engine for tests, once: half a gigabyte that only tests need, so it has a folder and a lock file
 * of its own. Where it cannot be installed (no network, a platform without a build) the tests that need it are skipped
 * with the reason.
 */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'
import { isImported } from './chosen-files.js'
import { enginesWanted } from './engines-wanted.js'
import { run } from './prepared.js'

declare module 'vitest' {
  interface ProvidedContext {
    readonly clickhouse: ClickhouseForTests
  }
}

/** The script that serves the engine, or why there is none. */
type ClickhouseForTests = { readonly script: string } | { readonly skip: string }

const folder = fileURLToPath(new URL('../clickhouse/', import.meta.url))

export async function setup(project: TestProject): Promise<void> {
  if (!isImported(project, 'clickhouse-server.ts')) return
  const skip = await reasonToSkip()
  if (skip !== undefined) console.log(`ClickHouse tests are skipped: ${skip}`)
  project.provide('clickhouse', skip === undefined ? { script: join(folder, 'server.mjs') } : { skip })
}

async function reasonToSkip(): Promise<string | undefined> {
  if (!enginesWanted().has('clickhouse')) return 'ENGINES leaves clickhouse out'
  if (process.platform === 'win32') return 'the engine (chdb) has no build for Windows'
  return install()
}

async function install(): Promise<string | undefined> {
  const stamp = join(folder, 'node_modules', '.shortlink-installed')
  const lock = createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return undefined
  console.log('Installing the ClickHouse engine for tests (half a gigabyte, once) ...')
  // Not `npm ci`: it insists on builds for platforms other than this one, which a mirror may lack.
  const args = ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error', '--fetch-retries=1']
  const installed = await run('npm', args, folder)
  if (installed.code !== 0) return `chdb cannot be installed (${firstLine(installed.output)})`
  const loaded = await run(process.execPath, ['--input-type=module', '-e', "await import('chdb')"], folder)
  if (loaded.code !== 0) return `chdb does not run here (${firstLine(loaded.output)})`
  writeFileSync(stamp, lock)
  return undefined
}

function firstLine(text: string): string {
  return text.split('\n').find((line) => line.trim() !== '') ?? 'no reason given'
}
