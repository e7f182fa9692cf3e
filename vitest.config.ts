import { defineConfig } from 'vitest/config'

/** Every test file runs in every `npm test` and every `.ci/run`; `test/support/closing-line.ts` fails when one did not. */
const everything = ['src/**/*.test.ts', 'test/**/*.test.ts', 'web/**/*.test.ts']

export default defineConfig(({ mode }) => {
  // `--mode quick`: unit tests, contracts on the embedded engines and the API on SQLite.
  if (mode === 'quick') process.env.ENGINES ??= 'sqlite,duckdb'
  return {
    test: {
      include: mode === 'quick' ? ['src/**/*.test.ts', 'web/**/*.test.ts', 'test/api/**/*.test.ts'] : everything,
      // A machine can be five times slower for an hour: no test fails for that.
      testTimeout: 120_000,
      hookTimeout: 240_000,
      expect: { poll: { timeout: 60_000 } },
      // One of many thousand tests may lose a race against a starved machine: CI tries it once more, and names it at the end.
      retry: process.env.CI ? 1 : 0,
      // Files that run in the same worker share its modules: importing the service for each of them took a fifth of the
      // time. So a file puts back what it changes for the whole process (variables, timers, listeners).
      isolate: false,
      // Three workers on the two cores of CI: with two of them a third of the time was waiting for servers and browsers.
      maxWorkers: 3,
      // API_RECORDS=postgres: the tests of the API keep their records on PostgreSQL.
      ...(process.env.API_RECORDS === 'postgres' && { provide: { apiRecords: 'postgres' as const } }),
      globalSetup: 'test/support/all-prepared.ts',
      reporters: ['default', './test/support/closing-line.ts'],
    },
  }
})
