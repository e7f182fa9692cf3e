import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
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
})
