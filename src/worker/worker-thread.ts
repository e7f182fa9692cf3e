/**
 * A thread that serves the methods of a module (worker-host.ts) as long as the service runs. It is restarted when it dies; until
 * then its methods reject.
 */
import { Refusal } from '../core/values/refusal.js'
import type { Closable } from '../lib/closing.js'
import type { Logger } from '../lib/logger.js'
import { passOn } from '../lib/pass-on.js'
import { startModule } from './start-module.js'
import type { Methods, Remote } from './thread-calls.js'
import { WorkerSupervisor } from './worker-supervisor.js'

export interface WorkerThreadOptions {
  /** In the log, such as `list thread`. */
  readonly name: string
  readonly module: string
  readonly data?: unknown
  /** What callers do not get while it is not running, such as `Lists`. */
  readonly serves: string
  /** The same for the log. */
  readonly meanwhile: string
  readonly log: Logger
  /** Milliseconds to finish work when it is closed. */
  readonly closingTime: number
}

/** Starts with the first call. */
export class WorkerThread<Served extends Methods<Served>> implements Closable {
  readonly methods: Remote<Served>
  readonly #supervisor: WorkerSupervisor<Served & { close(): void }>
  readonly #closingTime: number

  constructor({ name, module, data, serves, meanwhile, log, closingTime }: WorkerThreadOptions) {
    this.#closingTime = closingTime
    this.#supervisor = new WorkerSupervisor({
      name: `the ${name}`,
      sentences: {
        ended: `The ${name} ended unexpectedly.`,
        died: `${name} died; ${meanwhile}`,
        cannotStart: `cannot start the ${name}`,
        back: `${name} is running again`,
      },
      log,
      away: (reason) =>
        new Refusal(
          'TEMPORARILY_UNAVAILABLE',
          `${serves} are not available at the moment (${reason}). Try again in a few seconds.`,
        ),
      begin: () => startModule(module, data),
    })
    this.methods = passOn<Remote<Served>>(async (method, args) => {
      await this.#supervisor.startOnce()
      return this.#supervisor.call(method, ...(args as Parameters<Served[typeof method]>))
    })
  }

  close(): Promise<void> {
    return this.#supervisor.close([] as never, this.#closingTime)
  }
}
