import { type Transferable, Worker } from 'node:worker_threads'
import { installation } from '../../lib/installation.js'
import type { HostedModule, ModuleName } from './host-messages.js'

/** As built, also under the test runner: threads load plain JavaScript only. */
const workerHost = new URL('dist/runtime/threads/worker-host.js', installation)

export interface ThreadLimits {
  /** MiB of its heap. */
  readonly memory?: number
  /** MiB of its young generation. */
  readonly youngMemory?: number
}

/** Starts a thread that serves a module (worker-host.ts). */
export function startModule(
  module: ModuleName,
  data: unknown,
  { memory = 384, youngMemory }: ThreadLimits = {},
  transferList: Transferable[] = [],
): Worker {
  const young = youngMemory === undefined ? {} : { maxYoungGenerationSizeMb: youngMemory }
  const workerData: HostedModule = { module, data }
  return new Worker(workerHost, {
    workerData,
    transferList,
    resourceLimits: { maxOldGenerationSizeMb: memory, ...young },
  })
}
