/** Runs imports in the service, one at a time, and reports the progress of the latest one. */
import { messageOf } from '../../lib/message-of.js'
import { Refusal } from '../values/refusal.js'
import type { ImportCounts } from './import.js'

/** The progress of a running import, or the result of a finished one. */
export interface ImportProgress {
  readonly file: string
  /** `checking`: reading the file once to compute its id. */
  readonly state: 'checking' | 'importing' | 'done' | 'failed'
  /** Bytes of the file. */
  readonly size: number
  readonly counts: ImportCounts
  /** The file with the rejected lines. */
  readonly rejects: string
  /** Why it failed, and what to do. */
  readonly problem: string | undefined
}

/** Runs an import to its end and returns the last progress, `done` or `failed`. */
export type RunImport = (file: string, onProgress: (progress: ImportProgress) => void) => Promise<ImportProgress>

export class Imports {
  readonly #run: RunImport
  #latest: ImportProgress | undefined

  constructor(run: RunImport) {
    this.#run = run
  }

  /** Starts an import, or returns the progress if this file is already being imported. */
  start(file: string): ImportProgress {
    const running = this.#latest
    if (running && isRunning(running)) {
      if (running.file === file) return running
      const message = `Another import is running: ${running.file}. Wait until it is done.`
      throw new Refusal('CONFLICT', message)
    }
    const begun = begunImport(file)
    this.#latest = begun
    void this.#follow(file)
    return begun
  }

  /** The progress of the latest import. */
  progress(): ImportProgress {
    if (this.#latest) return this.#latest
    throw new Refusal('NOT_FOUND', 'No import was started since the service started. Start the import again.')
  }

  async #follow(file: string): Promise<void> {
    try {
      this.#latest = await this.#run(file, (progress) => {
        this.#latest = progress
      })
    } catch (error) {
      const reason = messageOf(error).replace(/\.$/, '')
      const problem = `The import was interrupted: ${reason}. Run the command again to continue where it stopped.`
      this.#latest = { ...(this.#latest ?? begunImport(file)), state: 'failed', problem }
    }
  }
}

export function begunImport(file: string): ImportProgress {
  const unknown = { unknownLinks: 0, unknownExamples: [] }
  const counts = { lines: 0, before: 0, imported: 0, rejected: 0, ...unknown, bytes: 0, examples: [] }
  return { file, state: 'checking', size: 0, counts, rejects: '', problem: undefined }
}

function isRunning({ state }: ImportProgress): boolean {
  return state === 'checking' || state === 'importing'
}
