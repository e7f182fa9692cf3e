/**
 * Export, import, export: the files are the same, byte by byte, on every pair of engines and from one pair to the other.
 * The data is random; SEED=<number> repeats a run.
 */
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Click, textOf } from '../../src/core/clicks/click.js'
import { aBatch } from '../../src/core/clicks/click-batch.builder.js'
import type { ClickLog } from '../../src/core/clicks/click-log.js'
import { allDimensions } from '../../src/core/clicks/dimensions.js'
import { type ExportInput, exportArchive } from '../../src/core/copies/export.js'
import { importArchive } from '../../src/core/copies/import.js'
import type { ArchiveManifest as Manifest } from '../../src/core/copies/manifest.js'
import { toArchive } from '../../src/core/copies/values.js'
import { systemClock } from '../../src/core/values/time.js'
import { archiveFormat } from '../../src/storage/copies/manifest.js'
import { newCopy } from '../../src/storage/copies/new-copy.js'
import { openCopy, readLines } from '../../src/storage/copies/open-copy.js'
import { readClicks } from '../../src/storage/duckdb/read-clicks.js'
import { enginePairs, type Installation } from './installations.js'
import { Random } from './random.js'
import { randomClicks } from './random-clicks.js'
import { randomRecords, rowsOf } from './random-records.js'

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
console.log(`archives: SEED=${seed}`)

const folder = mkdtempSync(join(tmpdir(), 'shortlink-archives-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let folders = 0
const newFolder = () => join(folder, `archive${++folders}`)

const pairs = enginePairs(newFolder)
const random = new Random(seed)
const data = randomRecords(random, 60)
const clicks = randomClicks(random, data)

describe.each(pairs.map((pair) => [pair.name, pair] as const))('an archive of %s', { timeout: 120_000 }, (_, from) => {
  const other = pairs.find((pair) => pair !== from) ?? from
  let origin: Installation
  let first: string
  beforeAll(async () => {
    origin = await from.open()
    await fill(origin)
    first = await exported(origin)
  })
  afterAll(() => origin.close())

  it('is the same when it is exported again', async () => {
    expect(filesOf(await exported(origin))).toEqual(filesOf(first))
  })

  it('contains every record and every click', async () => {
    for (const table of origin.records.tables.tables('archive with secrets')) {
      const expected = rowsOf(data, table.name).map((row) =>
        Object.fromEntries(table.columns.map((column) => [column.name, toArchive(column, row[column.name] ?? null)])),
      )
      expect(sortedLines(linesOf(first, `records/${table.name}.ndjson`)), table.name).toEqual(
        sortedLines(expected.map((row) => JSON.stringify(row))),
      )
    }
    const rows = clickLinesOf(first).map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(rows.map(({ clicked_at }) => clicked_at)).toEqual(rows.map(({ clicked_at }) => clicked_at).sort())
    expect(rows.reduce((sum, row) => sum + Number(row.clicks), 0)).toBe(
      clicks.reduce((sum, click) => sum + (click.total || 1), 0),
    )
    expect(sortedLines(rows.filter(({ visitor }) => visitor !== null).map((row) => JSON.stringify(row)))).toEqual(
      sortedLines(clicks.filter(({ total }) => total === 0).map((click) => JSON.stringify(asArchived(click)))),
    )
  })

  it.each([
    ['everything, without secrets', () => ({ secrets: false })],
    ['one organization', () => ({ secrets: true, organizationGuid: data.organizations[1] })],
    ['clicks as NDJSON only', () => ({ clicks: ['ndjson'] as const })],
  ])('gives the same files after an import: %s', async (_name, input) => {
    const before = await exported(origin, input())
    const copy = await other.open()
    try {
      await imported(copy, before)
      expect(filesOf(await exported(copy, input()))).toEqual(filesOf(before))
      await expect(imported(copy, before)).rejects.toThrow('not empty')
    } finally {
      await copy.close()
    }
  })

  it.each(pairs.map((pair) => [pair.name, pair] as const))(
    'gives the same files after an import that was interrupted twice, on %s',
    async (_name, to) => {
      const copy = await to.open()
      try {
        for (const after of [1, 1]) {
          let batches = 0
          const broken = async () => {
            if (++batches > after) throw new Error('the power is gone')
          }
          await expect(imported(copy, first, broken)).rejects.toThrow('the power is gone')
          expect(await copy.records.tables.rowCounts()).toEqual({})
        }
        await imported(copy, first)
        expect(filesOf(await exported(copy))).toEqual(filesOf(first))
      } finally {
        await copy.close()
      }
    },
  )
})

describe.each(pairs.map((pair) => [pair.name, pair] as const))('on %s', { timeout: 120_000 }, (_, pair) => {
  it('an archive of one organization contains nothing of the others', async () => {
    const installation = await pair.open()
    try {
      await fill(installation)
      const [organizationGuid = '', other = ''] = data.organizations
      const archive = await exported(installation, { organizationGuid, secrets: false })
      const groups = new Set(linesOf(archive, 'records/groups.ndjson').map((line) => JSON.parse(line).guid))
      for (const name of readdirSync(archive, { recursive: true, encoding: 'utf8' })) {
        if (!/^records\/(?!built_in|users).*ndjson$/.test(name)) continue
        expect(readFileSync(join(archive, name), 'utf8'), name).not.toContain(`"organization_guid":"${other}"`)
      }
      for (const line of clickLinesOf(archive)) expect(groups).toContain(JSON.parse(line).group_guid)
      expect(groups.size).toBe(2)
      // Groups of SCIM belong to no organization, nor does who is in them.
      for (const table of ['provisioned_groups', 'provisioned_members'])
        expect(linesOf(archive, `records/${table}.ndjson`), table).toEqual([])
      await expect(exported(installation, { organizationGuid: 'Onone' })).rejects.toThrow('no organization "Onone"')
    } finally {
      await installation.close()
    }
  })

  it('refuses a damaged archive and one that lacks a file, and imports nothing', async () => {
    const installation = await pair.open()
    try {
      await fill(installation)
      const archive = await exported(installation)
      const victim = join(archive, 'records/links.ndjson')
      const good = readFileSync(victim)
      const copy = await pair.open()
      try {
        writeFileSync(victim, Buffer.from(good).fill('x', 10, 11))
        await expect(imported(copy, archive)).rejects.toThrow('links.ndjson differs from the manifest')
        rmSync(victim)
        await expect(imported(copy, archive)).rejects.toThrow('links.ndjson is missing')
        expect(await copy.records.tables.rowCounts()).toEqual({})
        expect(await copy.clickLog.partitions({ before: Number.MAX_SAFE_INTEGER })).toEqual([])
      } finally {
        await copy.close()
      }
    } finally {
      await installation.close()
    }
  })
})

async function fill({ records, clickLog, blobs }: Installation): Promise<void> {
  await records.tables.fill('archive with secrets', async (writer) => {
    for (const [sha256, bytes] of data.images) {
      await blobs.put(`${sha256}-0123456789`, bytes, 'image/png')
      await writer.write('image_blobs', [{ sha256, blob_key: `${sha256}-0123456789` }])
    }
    for (const table of records.tables.tables('archive with secrets'))
      await writer.write(table.name, rowsOf(data, table.name))
  })
  const half = clicks.length >> 1
  await clickLog.appendBatch(aBatch(clicks.slice(0, half)), { journalId: 'journal', row: 1 })
  await clickLog.append(
    clicks.slice(half).filter(({ total }) => total === 0),
    { journalId: 'journal', row: 2 },
  )
  await clickLog.appendBatch(aBatch(clicks.slice(half).filter(({ total }) => total > 0)), { journalId: 'j', row: 1 })
  while (await clickLog.compact(Date.now()));
}

async function exported({ records, clickLog, blobs }: Installation, input: Partial<ExportInput> = {}): Promise<string> {
  const directory = newFolder()
  const archive = await newCopy(directory, archiveFormat)
  await exportArchive(
    { tables: records.tables, blobs, clickArchive: clickLog, archive, clock: systemClock },
    {
      organizationGuid: undefined,
      secrets: true,
      clicks: ['parquet', 'ndjson'],
      program: 'test',
      schema: 'test',
      ...input,
    },
    () => {},
  )
  return directory
}

async function imported({ records, clickLog, blobs }: Installation, from: string, onBatch = async () => {}) {
  const log: Pick<ClickLog, 'cursor' | 'appendBatch' | 'partitions'> = {
    cursor: (journalId) => clickLog.cursor(journalId),
    partitions: (which) => clickLog.partitions(which),
    async appendBatch(batch, upTo) {
      await onBatch()
      await clickLog.appendBatch(batch, upTo)
    },
  }
  const archive = await openCopy(from, archiveFormat)
  await importArchive({ tables: records.tables, blobs, clickLog: log, archive, readClicks, readLines }, () => {})
}

/** The files and a digest of each, without the time of the export. */
function filesOf(directory: string): Readonly<Record<string, string>> {
  const paths = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
  return Object.fromEntries(
    paths.map((path) => {
      const name = path.slice(directory.length + 1)
      const content = readFileSync(path)
      if (name !== 'manifest.json') return [name, createHash('sha256').update(content).digest('hex')]
      const { exported_at, ...manifest } = JSON.parse(content.toString()) as Manifest
      expect(exported_at).toMatch(/^\d{4}-/)
      return [name, JSON.stringify(manifest.counts)]
    }),
  )
}

function clickLinesOf(directory: string): readonly string[] {
  const names = Object.keys(filesOf(directory)).filter((name) => /^clicks\/.*ndjson$/.test(name))
  return names.flatMap((name) => linesOf(directory, name))
}

function linesOf(directory: string, name: string): readonly string[] {
  return readFileSync(join(directory, name), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
}

function sortedLines(lines: readonly string[]): readonly string[] {
  return lines.toSorted()
}

function asArchived(click: Click): Record<string, unknown> {
  return {
    clicked_at: new Date(click.at).toISOString(),
    ...Object.fromEntries(allDimensions.map(({ name, column }) => [column, textOf(click, name)])),
    visitor: click.visitorHash.toString(),
    clicks: 1,
  }
}
