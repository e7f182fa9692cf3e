/** The import that runs in a service, at most one at a time, for those who want to start it and to know how far it is. */
import { Refusal } from '../values/refusal.js'
import type { ImportCounts } from './import.js'

/** What can be told about an import while it runs and when it is over. */
export interface ImportProgress {
  readonly file: string
  /** `checking`: the file is read once to recognise it. */
  readonly state: 'checking' | 'importing' | 'done' | 'failed'
  /** Bytes of the file. */
  readonly size: number
  readonly counts: ImportCounts
  /** Where rejected lines are. */
  readonly rejects: string
  /** What to do, when it failed. */
  readonly problem: string | undefined
}

/** Runs an import to its end, which is what it answers: `done` or `failed`. */
export type RunImport = (file: string, tell: (progress: ImportProgress) => void) => Promise<ImportProgress>

export class Imports {
  readonly #run: RunImport
  #latest: ImportProgress | undefined

  constructor(run: RunImport) {
    this.#run = run
  }

  /** Starts it, or answers how far it is when this very file is being imported. */
  start(file: string): ImportProgress {
    const running = this.#latest
    if (running && isRunning(running)) {
      if (running.file === file) return running
      const message = `${running.file} is being imported at the moment. Wait until it is done.`
      throw new Refusal('CONFLICT', message)
    }
    const begun = begunImport(file)
    this.#latest = begun
    void this.#follow(file)
    return begun
  }

  /** The last one that was started. */
  progress(): ImportProgress {
    if (this.#latest) return this.#latest
    throw new Refusal('NOT_FOUND', 'Nothing was imported since the service started. Start the import again.')
  }

  async #follow(file: string): Promise<void> {
    try {
      this.#latest = await this.#run(file, (progress) => {
        this.#latest = progress
      })
    } catch (error) {
      const reason = (error instanceof Error ? error.message : String(error)).replace(/\.$/, '')
      const problem = `The import was interrupted: ${reason}. Run the command again: it goes on where it stopped.`
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
