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
import { clickParts } from './click-parts.js'
import { inOrderOfPaths, type NewCopy, type Tell, writeFile } from './copy.js'
import type { ArchiveManifest, CopiedFile } from './manifest.js'
import { readmeOf } from './readme.js'
import type { CopiedTable, RecordTables, TableReader } from './record-tables.js'
import { toArchive, toCell } from './values.js'

export interface ExportDeps {
  readonly tables: RecordTables
  readonly blobs: Blobs
  readonly clickArchive: ClickArchive
  readonly archive: NewCopy
  readonly clock: Clock
}

export interface ExportInput {
  /** Undefined: the whole service. */
  readonly organizationGuid: string | undefined
  readonly secrets: boolean
  readonly clicks: readonly ClickFormat[]
  /** For the manifest. */
  readonly program: string
  readonly schema: string
}

export type ClickFormat = 'parquet' | 'ndjson'

export type ExportStep = 'records' | 'images' | 'clicks'

export async function exportArchive(
  deps: ExportDeps,
  input: ExportInput,
  tell: Tell<ExportStep>,
): Promise<ArchiveManifest> {
  const { archive, clock } = deps
  const before = clock.now()
  const records = await deps.tables.read((reader) => writeRecords(deps, reader, input, tell))
  const clicks = await writeClicks(deps, input, { before, groups: records.groups }, tell)
  const readme = await writeFile(archive, 'README.md', readmeOf(deps.tables, input.secrets))
  const manifest: ArchiveManifest = {
    format: 'shortlink archive',
    version: 1,
    program: input.program,
    schema: input.schema,
    exported_at: new Date(before).toISOString(),
    organization: input.organizationGuid ?? null,
    secrets: input.secrets,
    counts: { ...records.counts, clicks: clicks.count },
    files: inOrderOfPaths([...records.files, ...clicks.files, readme]),
  }
  await archive.finish(manifest)
  return manifest
}

interface Written {
  readonly files: readonly CopiedFile[]
  readonly counts: Readonly<Record<string, number>>
  /** Undefined: all. */
  readonly groups: readonly string[] | undefined
}

async function writeRecords(
  deps: ExportDeps,
  reader: TableReader,
  input: ExportInput,
  tell: Tell<ExportStep>,
): Promise<Written> {
  const { organizationGuid } = input
  const groups = organizationGuid === undefined ? undefined : await reader.groupsOf(organizationGuid)
  if (organizationGuid !== undefined && groups === undefined) {
    throw new OperatorError(`There is no organization "${organizationGuid}". "shortlink organization list" shows all.`)
  }
  const files: CopiedFile[] = []
  const counts: Record<string, number> = {}
  let done = 0
  for (const table of deps.tables.tables(input.secrets ? 'archive with secrets' : 'archive')) {
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
  reader: TableReader,
  table: CopiedTable,
  organizationGuid: string | undefined,
  onRows: (count: number) => void,
): Promise<{ readonly rows: number; readonly written: readonly CopiedFile[] }> {
  const { columns } = table
  const ndjson = await archive.create(recordFile(table, 'ndjson'))
  const csv = await archive.create(recordFile(table, 'csv'))
  await csv.write(csvRow(columns.map((column) => column.name)))
  let total = 0
  for await (const rows of reader.rows(table, { organizationGuid, sorted: true })) {
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
  reader: TableReader,
  organizationGuid: string | undefined,
  tell: Tell<ExportStep>,
): Promise<readonly CopiedFile[]> {
  const files: CopiedFile[] = []
  const wanted = await reader.blobs(organizationGuid)
  for (const { sha256, key } of wanted) {
    const bytes = await blobs.get(key)
    if (!bytes) throw new OperatorError(`The bytes of an image are missing (${key}). Restore them from a backup.`)
    files.push(await writeFile(archive, imageFile(sha256), bytes))
    tell({ what: 'images', done: files.length, of: wanted.length })
  }
  return files
}

async function writeClicks(
  { archive, clickArchive }: ExportDeps,
  { clicks: formats }: ExportInput,
  which: { readonly before: number; readonly groups: readonly string[] | undefined },
  tell: Tell<ExportStep>,
): Promise<{ readonly files: readonly CopiedFile[]; readonly count: number }> {
  if (formats.length === 0) return { files: [], count: 0 }
  const parts = clickParts(await clickArchive.partitions(which))
  const total = parts.reduce((sum, part) => sum + part.clicks, 0)
  const files: CopiedFile[] = []
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

export function recordFile({ name }: Pick<CopiedTable, 'name'>, format: 'ndjson' | 'csv'): string {
  return `records/${name}.${format}`
}

function imageFile(sha256: string): string {
  return `images/${sha256}`
}

function clickFile(name: string, format: ClickFormat): string {
  return `clicks/${name}.${format}`
}
