/** A thread for one piece of work, which ends with it. */

import type { ModuleName } from './host-messages.js'
import { startModule, type ThreadLimits } from './start-module.js'
import { errorOf, type Failure, type Methods, type Remote, ThreadCalls } from './thread-calls.js'

export interface ThreadWork extends ThreadLimits {
  readonly module: ModuleName
  readonly data: unknown
  /** The methods that the thread may call. */
  readonly owner?: object
  /** Ends the thread at once; the work is rejected with the reason. */
  readonly signal?: AbortSignal
}

/** Settles when the thread has ended: then nothing of the work is running. */
export async function runInThread<Served extends Methods<Served>, Result>(
  { module, data, owner, signal, ...limits }: ThreadWork,
  work: (thread: Remote<Served>) => Promise<Result>,
): Promise<Result> {
  signal?.throwIfAborted()
  const worker = startModule(module, data, limits)
  let failure: unknown = new Error('its thread ended unexpectedly')
  const calls = new ThreadCalls<Served>(worker, {
    ...owner,
    ready: () => {},
    broken: (broken: Failure) => {
      failure = errorOf(broken)
    },
  })
  const stop = () => void worker.terminate()
  signal?.addEventListener('abort', stop)
  worker.on('error', (error) => {
    failure = error
  })
  const ended = new Promise<void>((resolve) => {
    worker.on('exit', () => {
      calls.end(signal?.aborted ? signal.reason : failure)
      resolve()
    })
  })
  try {
    return await work(calls.methods)
  } finally {
    calls.close()
    await ended
    signal?.removeEventListener('abort', stop)
  }
}
