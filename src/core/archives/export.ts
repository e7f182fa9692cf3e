/**
 * Writes an archive: everything of one organization, or of the whole service. The records are those of one moment, the
 * clicks are all that were counted before it. The same data gives the same bytes, except for `exported_at` in the
 * manifest.
 */
import { csvRow } from '../../lib/csv.js'
import { OperatorError } from '../../lib/operator-error.js'
import type { ClickArchive } from '../clicks/click-archive.js'
import type { Blobs } from '../images/blobs.js'
import type { Clock } from '../values/time.js'
import type { ArchivedFile, Manifest, NewArchive } from './archive-files.js'
import type { ArchiveReader, ArchiveScope, ArchiveStore, ArchiveTable } from './archive-store.js'
import { clickParts } from './click-parts.js'
import { readmeOf } from './readme.js'
import { toArchive, toCell } from './values.js'

export interface ExportDeps {
  readonly archives: ArchiveStore
  readonly blobs: Blobs
  readonly clickArchive: ClickArchive
  readonly archive: NewArchive
  readonly clock: Clock
}

export interface ExportInput extends ArchiveScope {
  readonly clicks: readonly ClickFormat[]
  /** For the manifest. */
  readonly program: string
  readonly schema: string
}

export type ClickFormat = 'parquet' | 'ndjson'

export interface ExportProgress {
  readonly what: 'records' | 'images' | 'clicks'
  readonly done: number
  /** Undefined when it is not known yet. */
  readonly of?: number
}

export async function exportArchive(
  deps: ExportDeps,
  input: ExportInput,
  tell: (progress: ExportProgress) => void,
): Promise<Manifest> {
  const { archive, clock } = deps
  const before = clock.now()
  const records = await deps.archives.read((reader) => writeRecords(deps, reader, input, tell))
  const clicks = await writeClicks(deps, input, { before, groups: records.groups }, tell)
  const readme = await archive.create('README.md')
  await readme.write(readmeOf(deps.archives, input.secrets))
  const files = [...records.files, ...clicks.files, await readme.close()]
  const manifest: Manifest = {
    format: 'shortlink archive',
    version: 1,
    program: input.program,
    schema: input.schema,
    exported_at: new Date(before).toISOString(),
    organization: input.organizationGuid ?? null,
    secrets: input.secrets,
    counts: { ...records.counts, clicks: clicks.count },
    files: files.toSorted((one, other) => (one.path < other.path ? -1 : 1)),
  }
  await archive.finish(manifest)
  return manifest
}

interface Written {
  readonly files: readonly ArchivedFile[]
  readonly counts: Readonly<Record<string, number>>
  /** Undefined: all. */
  readonly groups: readonly string[] | undefined
}

async function writeRecords(
  deps: ExportDeps,
  reader: ArchiveReader,
  input: ExportInput,
  tell: (progress: ExportProgress) => void,
): Promise<Written> {
  const { organizationGuid } = input
  const groups = organizationGuid === undefined ? undefined : await reader.groupsOf(organizationGuid)
  if (organizationGuid !== undefined && groups === undefined) {
    throw new OperatorError(`There is no organization "${organizationGuid}". "shortlink organization list" shows all.`)
  }
  const files: ArchivedFile[] = []
  const counts: Record<string, number> = {}
  let done = 0
  for (const table of deps.archives.tables(input.secrets)) {
    const { rows, written } = await writeTable(deps, reader, table, organizationGuid, (more) => {
      done += more
      tell({ what: 'records', done })
    })
    counts[table.name] = rows
    files.push(...written)
  }
  files.push(...(await writeImages(deps, reader, organizationGuid, tell)))
  return { files, counts, groups }
}

async function writeTable(
  { archive }: ExportDeps,
  reader: ArchiveReader,
  table: ArchiveTable,
  organizationGuid: string | undefined,
  onRows: (count: number) => void,
): Promise<{ readonly rows: number; readonly written: readonly ArchivedFile[] }> {
  const { columns } = table
  const ndjson = await archive.create(recordFile(table, 'ndjson'))
  const csv = await archive.create(recordFile(table, 'csv'))
  await csv.write(csvRow(columns.map((column) => column.name)))
  let total = 0
  for await (const rows of reader.rows(table, organizationGuid)) {
    const objects = rows.map((row) =>
      Object.fromEntries(columns.map((column) => [column.name, toArchive(column, row[column.name] ?? null)])),
    )
    await ndjson.write(objects.map((object) => `${JSON.stringify(object)}\n`).join(''))
    await csv.write(
      rows.map((row) => csvRow(columns.map((column) => toCell(column, row[column.name] ?? null)))).join(''),
    )
    total += rows.length
    onRows(rows.length)
  }
  return { rows: total, written: [await ndjson.close(total), await csv.close(total)] }
}

async function writeImages(
  { archive, blobs }: ExportDeps,
  reader: ArchiveReader,
  organizationGuid: string | undefined,
  tell: (progress: ExportProgress) => void,
): Promise<readonly ArchivedFile[]> {
  const files: ArchivedFile[] = []
  const wanted = await reader.blobs(organizationGuid)
  for (const { sha256, key } of wanted) {
    const bytes = await blobs.get(key)
    if (!bytes) throw new OperatorError(`The bytes of an image are missing (${key}). Restore them from a backup.`)
    const file = await archive.create(imageFile(sha256))
    await file.write(bytes)
    files.push(await file.close())
    tell({ what: 'images', done: files.length, of: wanted.length })
  }
  return files
}

async function writeClicks(
  { archive, clickArchive }: ExportDeps,
  { clicks: formats }: ExportInput,
  which: { readonly before: number; readonly groups: readonly string[] | undefined },
  tell: (progress: ExportProgress) => void,
): Promise<{ readonly files: readonly ArchivedFile[]; readonly count: number }> {
  if (formats.length === 0) return { files: [], count: 0 }
  const parts = clickParts(await clickArchive.quarters(which))
  const total = parts.reduce((sum, part) => sum + part.clicks, 0)
  const files: ArchivedFile[] = []
  let done = 0
  for (const { name, from, before, clicks } of parts) {
    tell({ what: 'clicks', done, of: total })
    const range = { ...which, from, before: Math.min(before, which.before) }
    const rows = await clickArchive.writeClicks(range, {
      parquet: formats.includes('parquet') ? archive.pathOf(clickFile(name, 'parquet')) : undefined,
      ndjson: formats.includes('ndjson') ? archive.pathOf(clickFile(name, 'ndjson')) : undefined,
    })
    for (const format of formats) files.push(await archive.describe(clickFile(name, format), rows))
    done += clicks
  }
  return { files, count: total }
}

export function recordFile({ name }: ArchiveTable, format: 'ndjson' | 'csv'): string {
  return `records/${name}.${format}`
}

export function imageFile(sha256: string): string {
  return `images/${sha256}`
}

function clickFile(name: string, format: ClickFormat): string {
  return `clicks/${name}.${format}`
}
