import { defineConfig } from 'vitest/config'

/** `--mode quick`: rules, contracts on the embedded engines and the API on SQLite, for an answer while one is working. */
function quick(): readonly string[] {
  process.env.ENGINES ??= 'sqlite,duckdb'
  return ['src/**/*.test.ts', 'test/api/**/*.test.ts']
}

export default defineConfig(({ mode }) => ({
  test: {
    include: mode === 'quick' ? [...quick()] : ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // Each looks first whether the chosen files need what it prepares.
    globalSetup: [
      'test/support/built-for-all.ts',
      'test/support/postgres-for-all.ts',
      'test/support/clickhouse-for-all.ts',
      'test/support/go-nsq-for-all.ts',
      'test/support/pynsq-for-all.ts',
    ],
    reporters: ['default', './test/support/closing-line.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Two workers: the suites start real servers, and CI has two cores.
    maxWorkers: 2,
    // Files that run in the same worker share its modules: importing the service for each of them took a fifth of the
    // time. So a file puts back what it changes for the whole process (variables, timers, listeners).
    isolate: false,
  },
}))
