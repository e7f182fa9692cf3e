/** Brings the build up to date: threads and child processes run from `dist`, and would test yesterday's source. */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export function setup(): void {
  const script = fileURLToPath(new URL('../../scripts/ensure.mjs', import.meta.url))
  const { status } = spawnSync(process.execPath, [script, '--tests'], { stdio: ['ignore', 'inherit', 'inherit'] })
  if (status !== 0) throw new Error('the service cannot be built; see above')
}
