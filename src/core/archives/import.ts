/**
 * Reads an archive into an empty service. First the clicks, whose log stores how far they came, then the images, and last
 * all records in one transaction: an interrupted import leaves a service without records, and can be repeated.
 */
import { createHash } from 'node:crypto'
import { OperatorError } from '../../lib/operator-error.js'
import { hashToken } from '../accounts/authenticate.js'
import { hashPassword, newPassword, newTokenSecret } from '../accounts/secrets.js'
import type { ClickBatch } from '../clicks/click-batch.js'
import type { ClickLog } from '../clicks/click-log.js'
import type { Blobs } from '../images/blobs.js'
import { newSigningSecret } from '../webhooks/sign.js'
import type { Archive, ArchivedFile } from './archive-files.js'
import { type ArchiveStore, type ArchiveTable, type ArchiveWriter, NotEmpty, type Renewal } from './archive-store.js'
import { imageFile, recordFile } from './export.js'
import { fromArchive, type StoredRow } from './values.js'

export interface ImportArchiveDeps {
  readonly archives: ArchiveStore
  readonly blobs: Blobs
  readonly clickLog: Pick<ClickLog, 'cursor' | 'appendBatch' | 'quarters'>
  readonly archive: Archive
  /** The clicks of a file after its first `skip` rows. */
  readonly readClicks: (file: string, skip: number) => AsyncIterable<ClickBatch>
}

export interface ImportArchiveProgress {
  readonly what: 'checking' | 'clicks' | 'images' | 'records'
  readonly done: number
  readonly of: number
}

export async function importArchive(
  deps: ImportArchiveDeps,
  tell: (progress: ImportArchiveProgress) => void,
): Promise<void> {
  const { files } = deps.archive.manifest
  const counts = await deps.archives.rowCounts()
  if (Object.keys(counts).length > 0) throw notEmpty(counts)
  const clicks = clickFilesOf(files)
  const journalId = journalIdOf(clicks)
  await requireNoOtherClicks(deps, journalId)

  let checked = 0
  for (const file of files) {
    tell({ what: 'checking', done: checked, of: files.length })
    await deps.archive.verify(file)
    checked++
  }
  await importClicks(deps, clicks, journalId, tell)
  const images = await importImages(deps, files, tell)
  try {
    await deps.archives.restore((writer) => importRecords(deps, writer, images, tell))
  } catch (error) {
    throw error instanceof NotEmpty ? notEmpty(error.counts) : error
  }
}

function notEmpty(counts: Readonly<Record<string, number>>): OperatorError {
  const found = Object.entries(counts).map(([name, count]) => `${count} ${name}`)
  return new OperatorError(
    `This installation is not empty (${found.slice(0, 3).join(', ')}): an archive is imported into a new one, ` +
      'which was never started. Choose a data directory that does not exist yet (--data-dir) or an empty database; the import creates the tables.',
  )
}

/** Parquet if there is any: it is smaller and faster to read. */
function clickFilesOf(files: readonly ArchivedFile[]): readonly ArchivedFile[] {
  const clicks = files.filter(({ path }) => path.startsWith('clicks/'))
  const parquet = clicks.filter(({ path }) => path.endsWith('.parquet'))
  return parquet.length > 0 ? parquet : clicks
}

/** The position in an archive is stored like the position in a journal. */
function journalIdOf(clicks: readonly ArchivedFile[]): string {
  const hash = createHash('sha256')
  for (const { path, sha256 } of clicks) hash.update(`${path} ${sha256}\n`)
  return `archive-${hash.digest('hex').slice(0, 32)}`
}

/** Clicks of an interrupted import of this archive may be there. */
async function requireNoOtherClicks({ clickLog }: ImportArchiveDeps, journalId: string): Promise<void> {
  if ((await clickLog.cursor(journalId)) > 0) return
  const quarters = await clickLog.quarters({ before: Number.MAX_SAFE_INTEGER })
  if (quarters.length === 0) return
  throw new OperatorError(
    'The click log of this installation is not empty. Choose a data directory or a ClickHouse database without clicks.',
  )
}

async function importClicks(
  { archive, clickLog, readClicks }: ImportArchiveDeps,
  files: readonly ArchivedFile[],
  journalId: string,
  tell: (progress: ImportArchiveProgress) => void,
): Promise<void> {
  const total = files.reduce((sum, { rows = 0 }) => sum + rows, 0)
  const before = await clickLog.cursor(journalId)
  let row = 0
  for (const { path, rows = 0 } of files) {
    const skip = Math.min(rows, Math.max(0, before - row))
    row += skip
    if (skip === rows) continue
    for await (const batch of readClicks(archive.pathOf(path), skip)) {
      row += batch.at.length
      await clickLog.appendBatch(batch, { journalId, row })
      tell({ what: 'clicks', done: row, of: total })
    }
  }
}

async function importImages(
  { archive, blobs }: ImportArchiveDeps,
  files: readonly ArchivedFile[],
  tell: (progress: ImportArchiveProgress) => void,
): Promise<ReadonlyMap<string, string>> {
  const images = files.filter(({ path }) => path.startsWith(imageFile('')))
  const keys = new Map<string, string>()
  for (const { path, sha256 } of images) {
    // The same key in every attempt, so that a repeated import leaves no bytes behind.
    const key = `${sha256}-imported00`
    await blobs.put(key, await archive.bytes(path), 'application/octet-stream')
    keys.set(sha256, key)
    tell({ what: 'images', done: keys.size, of: images.length })
  }
  return keys
}

async function importRecords(
  { archive, archives }: ImportArchiveDeps,
  writer: ArchiveWriter,
  images: ReadonlyMap<string, string>,
  tell: (progress: ImportArchiveProgress) => void,
): Promise<void> {
  const { secrets, counts } = archive.manifest
  const tables = archives.tables(secrets)
  const total = tables.reduce((sum, { name }) => sum + (counts[name] ?? 0), 0)
  const renew = await renewals()
  let done = 0
  for (const [sha256, key] of images) await writer.useBlob(sha256, key)
  for (const table of tables) {
    for await (const lines of archive.lines(recordFile(table, 'ndjson'))) {
      const rows = lines.map((line, at) => rowOf(table, renew, line, at))
      await writer.write(table, rows)
      done += lines.length
      tell({ what: 'records', done, of: total })
    }
  }
}

function rowOf(table: ArchiveTable, renew: Renewals, line: string, at: number): StoredRow {
  try {
    const object = JSON.parse(line) as Record<string, unknown>
    return Object.fromEntries([
      ...table.columns.map((column) => [column.name, fromArchive(column, object[column.name])] as const),
      ...Object.entries(table.renewed).map(([name, renewal]) => [name, renew[renewal]()] as const),
    ])
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new OperatorError(`Cannot read a row of ${recordFile(table, 'ndjson')} (near line ${at + 1}): ${reason}`)
  }
}

type Renewals = Readonly<Record<Renewal, () => string>>

/** Secrets that nobody knows, for an archive without any: accounts stay, and get new secrets from the operator. */
async function renewals(): Promise<Renewals> {
  const passwordHash = await hashPassword(newPassword())
  return {
    'password hash': () => passwordHash,
    'token hash': () => hashToken(newTokenSecret()),
    'signing secret': newSigningSecret,
  }
}
