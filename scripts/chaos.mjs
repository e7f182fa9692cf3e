// Runs three processes of the service with all engines under random faults, and compares what was answered with what is
// there afterwards (test/chaos). `npm run chaos -- --minutes 10 --seed 7`; `--clocks` sets clocks too; `--shrink` looks for
// the faults that matter when a run fails, in at most twenty runs.
import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readArguments, refuse } from './arguments.mjs'

const usage = 'npm run chaos -- [--minutes NUMBER] [--seed NUMBER] [--clocks] [--shrink]'
const { values } = readArguments(usage, {
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    clocks: { type: 'boolean', default: false },
    shrink: { type: 'boolean', default: false },
  },
})
if (!(Number(values.minutes) > 0)) refuse(usage, '--minutes must be a number above 0.')
if (!/^\d+$/.test(values.seed)) refuse(usage, '--seed must be a whole number.')

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const { status } = spawnSync(
  process.execPath,
  [join(root, 'node_modules', 'vitest', 'vitest.mjs'), 'run', 'test/chaos/chaos.test.ts'],
  {
    cwd: root,
    stdio: 'inherit',
    env: {
      ...process.env,
      CHAOS_SECONDS: String(Number(values.minutes) * 60),
      CHAOS_SEED: values.seed,
      ...(values.clocks && { CHAOS_CLOCKS: 'on' }),
      ...(values.shrink && { CHAOS_SHRINK: 'on' }),
    },
  },
)
process.exit(status ?? 1)
