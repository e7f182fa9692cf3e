import { readdirSync } from 'node:fs'
import { configDefaults, defineConfig } from 'vitest/config'
import { ProjectByProject } from './test/support/project-by-project.js'

const settings = {
  testTimeout: 30_000,
  hookTimeout: 60_000,
  // Half of a test's time instead of one second: a busy machine takes its time.
  expect: { poll: { timeout: 15_000 } },
  // Files that run in the same worker share its modules: importing the service for each of them took a fifth of the
  // time. So a file puts back what it changes for the whole process (variables, timers, listeners).
  isolate: false,
}

/** Tests of the API that another engine for the records cannot change, or that bring their engines themselves. */
export const sameOnPostgres = {
  'broken-requests': 'reading HTTP',
  'event-loop': 'how SQLite, which has no thread of its own, leaves the event loop to others',
  'external-changes': 'runs on both',
  'fast-path': 'reading HTTP',
  images: 'reading and writing pictures; their store has a contract',
  'impossible-texts': 'runs on both',
  limits: 'counted in memory or in Redis',
  'long-series': 'asked of the click log',
  openapi: 'made from the routes',
  'qr-images': 'drawing',
  'qr-public-images': 'drawing; the lookup has a contract',
  'shared-limits': 'counted in Redis',
}

/** More than ten seconds of processor time each: too long for an answer while one is working. */
export const slowest = [
  'src/worker/click-thread.test.ts',
  ...['event-loop', 'images', 'limits'].map((name) => `test/api/${name}.test.ts`),
]

/**
 * Half a minute to two minutes each of both cores, which CI does not have; for S3 it is the build of the server.
 * `npm run test:long` runs them: before a release, and when their part of the program changes.
 */
export const long = [
  'src/storage/blobs/s3-blobs.test.ts',
  'test/api/images-s3.test.ts',
  'test/api/link-words-random.test.ts',
  ...['forget-files', 'move', 'move-command'].map((name) => `test/archives/${name}.test.ts`),
  'test/clients/clients.test.ts',
  ...[
    'create',
    'docs',
    'edit',
    'imports',
    'links',
    'numbers',
    'pages',
    'people',
    'qr-codes',
    'unconfigured',
    'webhooks',
  ].map((name) => `test/dashboard/${name}.test.ts`),
  ...[
    'full-disk',
    'images',
    'journal',
    'killed',
    'meanwhile',
    'positions',
    's3',
    's3-interrupted',
    'two-processes',
  ].map((name) => `test/backups/${name}.test.ts`),
  'test/domains/renamed.test.ts',
  'test/durability/at-rest.test.ts',
  'test/durability/killed-jobs.test.ts',
  'test/durability/killed-retries.test.ts',
  'test/durability/silent-servers.test.ts',
  'test/import/two-at-once.test.ts',
  'test/moving/killed.test.ts',
  'test/otlp/traces.test.ts',
  'test/project/click-log-home.test.ts',
  'test/project/package.test.ts',
  'test/scale/three-nodes.test.ts',
  'test/stream/killed.test.ts',
  'test/webhooks/killed.test.ts',
]

/** Ten seconds to a minute and a half each, in parts that seldom change: CI has the time for a sixth of them a day. */
export const inTurn = [
  'src/commands/doctor/engines.test.ts',
  'src/storage/sql/links/link-lists.test.ts',
  'src/worker/click-thread.test.ts',
  'test/api/event-loop.test.ts',
  'test/api/link-words-same.test.ts',
  ...['commands', 'forget', 'round-trip'].map((name) => `test/archives/${name}.test.ts`),
  ...['commands', 'round-trip', 'schedule'].map((name) => `test/backups/${name}.test.ts`),
  'test/dashboard/newcomer.test.ts',
  ...['damaged-clicks', 'full-disk', 'journal-rows', 'postgres-away', 'power-loss'].map(
    (name) => `test/durability/${name}.test.ts`,
  ),
  'test/import/import.test.ts',
  ...['interrupted', 'model', 'retention', 'v3-model'].map((name) => `test/metrics/${name}.test.ts`),
  ...['import-apis', 'import-files'].map((name) => `test/moving/${name}.test.ts`),
  'test/oauth/chromium.test.ts',
  ...['demo', 'environment', 'scripts'].map((name) => `test/project/${name}.test.ts`),
  'test/qr/decoders.test.ts',
  'test/scale/query-plans.test.ts',
  ...['links', 'real-nsqd-cluster', 'real-nsqd-crash'].map((name) => `test/stream/${name}.test.ts`),
]

/**
 * What CI leaves out today, and the files that it runs on PostgreSQL too: an eighth of the API on eight days; on the ninth
 * it has the tests on another version of Node instead (.ci/run). CI_DAY counts days.
 */
function turnOf(day: number): { leaves: string[]; onPostgres: string[] } {
  const onPostgres = readdirSync('test/api')
    .filter((name) => name.endsWith('.test.ts') && !(name.replace('.test.ts', '') in sameOnPostgres))
    .filter((_, index) => index % 8 === (day % 9) - 1)
  return {
    leaves: inTurn.filter((_, index) => index % 6 !== day % 6),
    onPostgres: onPostgres.map((name) => `test/api/${name}`),
  }
}

/** `--mode quick`: unit tests, contracts on the embedded engines and the API on SQLite. */
function quick(): { include: string[]; exclude: string[] } {
  process.env.ENGINES ??= 'sqlite,duckdb'
  return { include: ['src/**/*.test.ts', 'test/api/**/*.test.ts'], exclude: slowest }
}

function filesOf(mode: string): { include: string[]; exclude?: string[] } {
  if (mode === 'quick') return quick()
  if (mode === 'long') return { include: long }
  return { include: ['src/**/*.test.ts', 'test/**/*.test.ts'], exclude: [...configDefaults.exclude, ...long] }
}

export default defineConfig(({ mode }) => {
  const files = filesOf(mode)
  const turn = process.env.CI_DAY ? turnOf(Number(process.env.CI_DAY)) : undefined
  if (turn) files.exclude = [...(files.exclude ?? []), ...turn.leaves]
  const everything = { test: { ...settings, name: 'all', ...files } }
  const apiOnPostgres = {
    test: {
      ...settings,
      name: 'API on PostgreSQL',
      include: turn?.onPostgres ?? ['test/api/**/*.test.ts'],
      exclude: Object.keys(sameOnPostgres).map((name) => `test/api/${name}.test.ts`),
      provide: { apiRecords: 'postgres' as const },
    },
  }
  return {
    test: {
      ...settings,
      ...files,
      // On both engines in one run, so that neither core waits for the other.
      ...((turn?.onPostgres.length || process.env.API_RECORDS === 'sqlite,postgres') && {
        projects: [everything, apiOnPostgres],
      }),
      ...(process.env.API_RECORDS === 'postgres' && { provide: apiOnPostgres.test.provide }),
      sequence: { sequencer: ProjectByProject },
      // Each looks first whether the chosen files need what it prepares.
      globalSetup: [
        'test/support/built-for-all.ts',
        'test/support/postgres-for-all.ts',
        'test/support/clickhouse-for-all.ts',
        'test/support/go-nsq-for-all.ts',
        'test/support/pynsq-for-all.ts',
        'test/support/api-clients-for-all.ts',
        'test/support/s3-for-all.ts',
      ],
      reporters: ['default', './test/support/closing-line.ts'],
      // Two workers: the suites start real servers, and CI has two cores.
      maxWorkers: 2,
    },
  }
})
