/**
 * The entry of every worker thread: imports a module, and answers calls of the object that the module serves. The thread ends
 * when it is told to close, or when the object cannot be made.
 */
import { parentPort, workerData } from 'node:worker_threads'
import type { HostedModule, HostOwner, ModuleName } from './host-messages.js'
import { lowerPriority } from './lower-priority.js'
import { failureOf, ThreadCalls } from './thread-calls.js'

const modules: Readonly<Record<ModuleName, () => Promise<unknown>>> = {
  backups: () => import('./backup-worker.js'),
  clicks: () => import('./click-worker.js'),
  imports: () => import('./import-worker.js'),
  'journal-copy': () => import('./journal-copy-worker.js'),
  lists: () => import('./list-worker.js'),
  'qr-images': () => import('./qr-image-worker.js'),
  stream: () => import('./stream-worker.js'),
  webhooks: () => import('./webhook-worker.js'),
  workbooks: () => import('./workbook-worker.js'),
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
  // Not before: the service waits for its first threads, and on a busy machine a thread that yields takes seconds to load.
  await lowerPriority()
} catch (error) {
  owner.tell('broken', [failureOf(error)])
  port.close()
}

async function serve({ module, data }: HostedModule): Promise<Served> {
  const { serve } = (await modules[module]()) as ServingModule
  const methods = await serve(data, owner)
  const close = async (...args: readonly unknown[]) => {
    await methods.close?.(...args)
    port.close()
  }
  return { ...methods, close }
}
