/** Imports a file of clicks: everything but the click log, which it calls by messages. */
import { hash } from 'node:crypto'
import { hostname } from 'node:os'
import { type ImportLog, importClicks } from '../../core/clicks/import.js'
import { begunImport, type ImportProgress } from '../../core/clicks/imports.js'
import type { Geography } from '../../core/clicks/locate.js'
import type { DailySalts } from '../../core/clicks/visitor.js'
import { DomainNames } from '../../core/domains/domains.js'
import { systemClock } from '../../core/values/time.js'
import { Closing } from '../../lib/closing.js'
import { OperatorError } from '../../lib/operator-error.js'
import { openGeography } from '../../storage/geography/mmdb.js'
import { openClickFile } from '../../storage/imports/click-file.js'
import { openRecords, type RecordsPlace } from '../stores/open-records.js'
import { ClickPacker, memoryOf } from './click-columns.js'
import { holdImport } from './import-lease.js'
import type { ImportThreadMethods, ImportThreadOptions, ImportThreadOwner } from './import-thread.js'
import type { ThreadCalls } from './thread-calls.js'

export function serve(
  { file, records, geography }: ImportThreadOptions,
  owner: ThreadCalls<ImportThreadOwner>,
): ImportThreadMethods {
  const stopped = new AbortController()
  const packer = new ClickPacker()
  const log: ImportLog = {
    cursor: owner.methods.cursor,
    skippedRanges: owner.methods.skippedRanges,
    async appendBatch(batch, upTo) {
      const columns = packer.pack(batch)
      await owner.call('append', [columns, upTo], memoryOf(columns))
    },
  }
  return {
    run: () =>
      runImport({ log, geography: openGeography(geography) }, file, records, {
        signal: stopped.signal,
        tell: (progress) => owner.tell('progress', [progress]),
      }),
    stop: () => stopped.abort(),
  }
}

interface RunImportDeps {
  readonly log: ImportLog
  readonly geography: Geography
}

/**
 * Wires an import: the file, the records to find its links in, and the click log. Problems that the operator can fix are
 * returned as `problem`; all others are thrown.
 */
async function runImport(
  deps: RunImportDeps,
  path: string,
  place: RecordsPlace,
  { signal, tell }: { readonly signal: AbortSignal; readonly tell: (progress: ImportProgress) => void },
): Promise<ImportProgress> {
  const closing = new Closing()
  let progress = begunImport(path)
  try {
    // A separate connection to the SQLite file, so that finding links here does not delay redirects.
    const records = closing.add(await openRecords(place))
    const domainNames = new DomainNames(await records.domainStore.listBuiltIn())
    const file = closing.add(await openClickFile(path))
    const lost = new AbortController()
    const claim = { path, fileId: file.journalId, place: `${place.dataDir} on ${hostname()}` }
    closing.add(await holdImport(records.clickStore.lease(file.journalId), claim, () => lost.abort()))
    const salts = saltsOf(file.secret)
    progress = { ...progress, state: 'importing', size: file.size, rejects: file.rejects }
    const { ended, ...counts } = await importClicks(
      { ...deps, salts, targets: records.clickStore, domainNames, clock: systemClock },
      file,
      {
        signal: AbortSignal.any([signal, lost.signal]),
        onProgress(counts) {
          progress = { ...progress, counts }
          tell(progress)
        },
      },
    )
    await file.requireUnchanged()
    if (!ended) return { ...progress, state: 'failed', problem: lost.signal.aborted ? takenOver : interrupted }
    return { ...progress, state: 'done', counts: { ...counts, bytes: file.size } }
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    return { ...progress, state: 'failed', problem: error.message }
  } finally {
    await closing.close()
  }
}

const takenOver =
  'This process was stopped for so long that another process took over the import. Nothing is counted twice; run the ' +
  'command again when the other import is done.'
const interrupted = 'The service was stopped. Run the command again: the import resumes where it stopped.'

/**
 * Salts derived from the file: a visitor keeps its hash after an interruption, and nobody without the file can
 * compute it. The service's daily salts are not used.
 */
function saltsOf(secret: string): DailySalts {
  const salts = new Map<number, string>()
  return {
    of(day) {
      const known = salts.get(day)
      if (known !== undefined) return known
      const salt = hash('sha256', `${secret} ${day}`)
      // A file may contain any number of days.
      if (salts.size >= 10_000) salts.clear()
      salts.set(day, salt)
      return salt
    },
  }
}
