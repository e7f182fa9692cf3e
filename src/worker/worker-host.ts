/**
 * The entry of every worker thread: imports a module, and answers calls of the object that the module serves. The thread ends
 * when it is told to close, or when the object cannot be made.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { lowerPriority } from './lower-priority.js'
import { failureOf, ThreadCalls } from './thread-calls.js'
import type { SupervisorMethods } from './worker-supervisor.js'

/** Start data of every thread. */
export interface HostedModule {
  /** A file in this folder, which exports `serve`. */
  readonly module: string
  readonly data: unknown
}

interface ServingModule {
  /** Makes a plain object of methods. One called `close` is called before the thread ends. `owner`: the thread that started this one. */
  serve(data: unknown, owner: ThreadCalls<SupervisorMethods>): Served | Promise<Served>
}

interface Served {
  close?(...args: readonly unknown[]): unknown
}

if (!parentPort) throw new Error('worker-host.js must be started as a thread')
const port = parentPort
const served = serve(workerData as HostedModule)
const owner = new ThreadCalls<SupervisorMethods>(port, served)
try {
  await served
  owner.tell('ready', [undefined])
} catch (error) {
  owner.tell('broken', [failureOf(error)])
  port.close()
}

async function serve({ module, data }: HostedModule): Promise<Served> {
  await lowerPriority()
  const { serve } = (await import(`./${module}`)) as ServingModule
  const methods = await serve(data, owner)
  const close = async (...args: readonly unknown[]) => {
    await methods.close?.(...args)
    port.close()
  }
  return { ...methods, close }
}
