/**
 * The entry of every worker thread: imports a module, and answers calls of the object that the module serves. The thread ends
 * when it is told to close, or when the object cannot be made.
 */
import { parentPort, workerData } from 'node:worker_threads'
import type { LogLevel } from '../../lib/logger.js'
import { lowerPriority } from './lower-priority.js'
import { type Failure, failureOf, ThreadCalls } from './thread-calls.js'

/** Start data of every thread. */
export interface HostedModule {
  /** A file in this folder, which exports `serve`. */
  readonly module: string
  readonly data: unknown
}

/** The methods of the thread that started this one; every module may log. */
export interface HostOwner {
  /** The object is served. */
  ready(): void
  /** The object cannot be made, and the thread ends. */
  broken(failure: Failure): void
  /** Only the main thread writes the log. */
  log(level: LogLevel, fields: Readonly<Record<string, unknown>>, message: string): void
}

interface ServingModule {
  /** Makes a plain object of methods. One called `close` is called before the thread ends. `owner`: the thread that started this one. */
  serve(data: unknown, owner: ThreadCalls<HostOwner>): Served | Promise<Served>
}

interface Served {
  close?(...args: readonly unknown[]): unknown
}

if (!parentPort) throw new Error('worker-host.js must be started as a thread')
const port = parentPort
const served = serve(workerData as HostedModule)
const owner = new ThreadCalls<HostOwner>(port, served)
try {
  await served
  owner.tell('ready', [])
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
