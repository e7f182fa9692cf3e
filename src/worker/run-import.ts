/** Puts an import together: the file, the records in which its links are found, and the click log it goes into. */
import { hash } from 'node:crypto'
import { type ImportLog, importClicks } from '../core/clicks/import.js'
import { begunImport, type ImportProgress } from '../core/clicks/imports.js'
import type { Geography } from '../core/clicks/locate.js'
import type { DailySalts } from '../core/clicks/visitor.js'
import { DomainNames } from '../core/domains/domain-names.js'
import { systemClock } from '../core/values/clock.js'
import { Closing } from '../lib/closing.js'
import { OperatorError } from '../lib/operator-error.js'
import { openRecords, type RecordsPlace } from '../open-records.js'
import { openClickFile } from '../storage/imports/click-file.js'

export interface RunImportDeps {
  readonly log: ImportLog
  readonly geography: Geography
}

/** What the operator can do something about is told as a problem; anything else is thrown. */
export async function runImport(
  deps: RunImportDeps,
  path: string,
  place: RecordsPlace,
  { signal, tell }: { readonly signal: AbortSignal; readonly tell: (progress: ImportProgress) => void },
): Promise<ImportProgress> {
  const closing = new Closing()
  let progress = begunImport(path)
  try {
    // Two connections to one SQLite file share nothing: looking for links here holds up no redirect.
    const records = closing.add(await openRecords(place))
    const domainNames = new DomainNames(await records.builtInDomains.list())
    const file = closing.add(await openClickFile(path))
    const salts = saltsOf(file.secret)
    progress = { ...progress, state: 'importing', size: file.size, rejects: file.rejects }
    const { ended, ...counts } = await importClicks(
      { ...deps, salts, targets: records.importTargets, domainNames, clock: systemClock },
      file,
      {
        signal,
        onProgress(counts) {
          progress = { ...progress, counts }
          tell(progress)
        },
      },
    )
    await file.requireUnchanged()
    if (!ended) return { ...progress, state: 'failed', problem: interrupted }
    return { ...progress, state: 'done', counts: { ...counts, bytes: file.size } }
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    return { ...progress, state: 'failed', problem: error.message }
  } finally {
    await closing.close()
  }
}

const interrupted = 'The service was stopped. Run the command again: the import goes on where it stopped.'

/**
 * Of the file's own: the same visitor is the same after an interruption, and nobody without the file can tell who it was.
 * The service's daily salts are left alone.
 */
function saltsOf(secret: string): DailySalts {
  const salts = new Map<number, string>()
  return {
    of(day) {
      const known = salts.get(day)
      if (known !== undefined) return known
      const salt = hash('sha256', `${secret} ${day}`)
      // A file may hold days without end.
      if (salts.size >= 10_000) salts.clear()
      salts.set(day, salt)
      return salt
    },
  }
}
