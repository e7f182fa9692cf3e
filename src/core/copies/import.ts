/**
 * Reads an archive into an empty service. First the clicks, whose log stores how far they came, then the images, and last
 * all records in one transaction: an interrupted import leaves a service without records, and can be repeated.
 */
import { createHash } from 'node:crypto'
import { messageOf } from '../../lib/message-of.js'
import { OperatorError } from '../../lib/operator-error.js'
import { hashToken } from '../accounts/authenticate.js'
import { hashPassword, newPassword, newTokenSecret } from '../accounts/secrets.js'
import type { ClickBatch } from '../clicks/click-batch.js'
import type { ClickLog } from '../clicks/click-log.js'
import type { Blobs } from '../images/blobs.js'
import { newSigningSecret } from '../webhooks/sign.js'
import { type Copy, filesIn, type Tell, verifyCopy } from './copy.js'
import { recordFile } from './export.js'
import type { ArchiveManifest, CopiedFile } from './manifest.js'
import { type CopiedTable, NotEmpty, type RecordTables, type Renewal, type TableWriter } from './record-tables.js'
import { fromArchive, type StoredRow } from './values.js'

export interface ImportArchiveDeps {
  readonly tables: RecordTables
  readonly blobs: Blobs
  readonly clickLog: Pick<ClickLog, 'cursor' | 'appendBatch' | 'partitions'>
  readonly archive: Copy<ArchiveManifest>
  /** The clicks of a file after its first `skip` rows. */
  readonly readClicks: (file: string, skip: number) => AsyncIterable<ClickBatch>
  /** The lines of a file, in pages. */
  readonly readLines: (file: string) => AsyncIterable<readonly string[]>
}

export type ImportStep = 'checking' | 'clicks' | 'images' | 'records'

export async function importArchive(deps: ImportArchiveDeps, tell: Tell<ImportStep>): Promise<void> {
  const { manifest } = deps.archive
  const counts = await deps.tables.rowCounts()
  if (Object.keys(counts).length > 0) throw notEmpty(new NotEmpty(counts))
  const clicks = clickFilesOf(manifest)
  const journalId = journalIdOf(clicks)
  await requireNoOtherClicks(deps, journalId)

  await verifyCopy(deps.archive, tell)
  await importClicks(deps, clicks, journalId, tell)
  const images = await importImages(deps, tell)
  try {
    await deps.tables.fill(kindOf(manifest), (writer) => importRecords(deps, writer, images, tell))
  } catch (error) {
    throw error instanceof NotEmpty ? notEmpty(error) : error
  }
}

function kindOf({ secrets }: ArchiveManifest) {
  return secrets ? 'archive with secrets' : 'archive'
}

function notEmpty({ found }: NotEmpty): OperatorError {
  return new OperatorError(
    `This installation is not empty (${found}): an archive is imported into a new one, ` +
      'which was never started. Choose a data directory that does not exist yet (--data-dir) or an empty database; the import creates the tables.',
  )
}

/** Parquet if there is any: it is smaller and faster to read. */
function clickFilesOf(manifest: ArchiveManifest): readonly CopiedFile[] {
  const clicks = filesIn(manifest, 'clicks')
  const parquet = clicks.filter(({ path }) => path.endsWith('.parquet'))
  return parquet.length > 0 ? parquet : clicks
}

/** The position in an archive is stored like the position in a journal. */
function journalIdOf(clicks: readonly CopiedFile[]): string {
  const hash = createHash('sha256')
  for (const { path, sha256 } of clicks) hash.update(`${path} ${sha256}\n`)
  return `archive-${hash.digest('hex').slice(0, 32)}`
}

/** Clicks of an interrupted import of this archive may be there. */
async function requireNoOtherClicks({ clickLog }: ImportArchiveDeps, journalId: string): Promise<void> {
  if ((await clickLog.cursor(journalId)) > 0) return
  const partitions = await clickLog.partitions({ before: Number.MAX_SAFE_INTEGER })
  if (partitions.length === 0) return
  throw new OperatorError(
    'The click log of this installation is not empty. Choose a data directory or a ClickHouse database without clicks.',
  )
}

async function importClicks(
  { archive, clickLog, readClicks }: ImportArchiveDeps,
  files: readonly CopiedFile[],
  journalId: string,
  tell: Tell<ImportStep>,
): Promise<void> {
  const total = files.reduce((sum, { rows = 0 }) => sum + rows, 0)
  const before = await clickLog.cursor(journalId)
  let row = 0
  for (const file of files) {
    const { rows = 0 } = file
    const skip = Math.min(rows, Math.max(0, before - row))
    row += skip
    if (skip === rows) continue
    await archive.withFile(file, async (path) => {
      for await (const batch of readClicks(path, skip)) {
        row += batch.at.length
        await clickLog.appendBatch(batch, { journalId, row })
        tell({ what: 'clicks', done: row, of: total })
      }
    })
  }
}

async function importImages(
  { archive, blobs }: ImportArchiveDeps,
  tell: Tell<ImportStep>,
): Promise<ReadonlyMap<string, string>> {
  const images = filesIn(archive.manifest, 'images')
  const keys = new Map<string, string>()
  for (const image of images) {
    // The same key in every attempt, so that a repeated import leaves no bytes behind.
    const key = `${image.sha256}-imported00`
    await blobs.put(key, await archive.bytes(image), 'application/octet-stream')
    keys.set(image.sha256, key)
    tell({ what: 'images', done: keys.size, of: images.length })
  }
  return keys
}

async function importRecords(
  deps: ImportArchiveDeps,
  writer: TableWriter,
  images: ReadonlyMap<string, string>,
  tell: Tell<ImportStep>,
): Promise<void> {
  const { manifest, withFile } = deps.archive
  const { counts } = manifest
  const files = new Map(manifest.files.map((file) => [file.path, file]))
  const tables = deps.tables.tables(kindOf(manifest))
  const total = tables.reduce((sum, { name }) => sum + (counts[name] ?? 0), 0)
  const renew = await renewals()
  let done = 0
  for (const [sha256, blob_key] of images) await writer.write('image_blobs', [{ sha256, blob_key }])
  for (const table of tables) {
    const file = files.get(recordFile(table, 'ndjson'))
    // Former versions did not have every table.
    if (!file) continue
    await withFile(file, async (path) => {
      for await (const lines of deps.readLines(path)) {
        const rows = lines.map((line, at) => rowOf(table, renew, line, at))
        await writer.write(table.name, rows)
        done += lines.length
        tell({ what: 'records', done, of: total })
      }
    })
  }
}

function rowOf(table: CopiedTable, renew: Renewals, line: string, at: number): StoredRow {
  try {
    const object = JSON.parse(line) as Record<string, unknown>
    return Object.fromEntries([
      // What an older version did not have gets its default.
      ...table.columns
        .filter(({ name }) => object[name] !== undefined)
        .map((column) => [column.name, fromArchive(column, object[column.name])] as const),
      ...Object.entries(table.renewed).map(([name, renewal]) => [name, renew[renewal]()] as const),
    ])
  } catch (error) {
    const reason = messageOf(error)
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
