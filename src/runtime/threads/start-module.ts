import { type Transferable, Worker } from 'node:worker_threads'
import type { HostedModule, ModuleName } from './host-messages.js'

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
  // Under the test runner (TypeScript sources) use the build: worker threads load plain JavaScript only.
  const folder = import.meta.url.endsWith('.ts') ? '../../../dist/runtime/threads/' : './'
  const young = youngMemory === undefined ? {} : { maxYoungGenerationSizeMb: youngMemory }
  const workerData: HostedModule = { module, data }
  return new Worker(new URL(`${folder}worker-host.js`, import.meta.url), {
    workerData,
    transferList,
    resourceLimits: { maxOldGenerationSizeMb: memory, ...young },
  })
}
