/**
 * Keeps the files of a data directory that an upgrade changes, the records, the click log and the stream, as they were
 * before, and puts them back: a folder for each upgrade. With the click log goes the journal, whose rows it deletes once it
 * has them. A folder with a journal and without a click log is of a directory that had no click log yet.
 */
import {
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import Database from 'libsql'
import { OperatorError } from '../../lib/operator-error.js'
import { journalFolder, journalFolders } from '../journal/folders.js'
import { copySqlite } from './copy-sqlite.js'

/** The last upgrades. */
const kept = 3

const clickLog = 'clicks.duckdb'
const upgradedFiles = ['records.sqlite', clickLog, 'stream.sqlite'] as const
type UpgradedFile = (typeof upgradedFiles)[number]

/** `migration` is the first one that will run. Returns the path of the copy. Nobody else may write to the file. */
export function copyBeforeUpgrade(dataDir: string, file: UpgradedFile, migration: string, now = Date.now()): string {
  const unfinished = join(copiesOf(dataDir), `${file}.unfinished`)
  try {
    const copy = join(folderFor(dataDir, file, migration, now), file)
    mkdirSync(copiesOf(dataDir), { recursive: true, mode: 0o700 })
    rmSync(unfinished, { force: true })
    if (isSqlite(file)) copySqlite(join(dataDir, file), unfinished)
    else copyFileSync(join(dataDir, file), unfinished, constants.COPYFILE_FICLONE)
    chmodSync(unfinished, 0o600)
    mkdirSync(dirname(copy), { recursive: true, mode: 0o700 })
    if (file === clickLog) keepJournals(dataDir, dirname(copy))
    renameSync(unfinished, copy)
    for (const old of upgradesIn(dataDir).slice(0, -kept)) rmSync(old.place, { recursive: true })
    return copy
  } catch (error) {
    if (existsSync(unfinished)) rmSync(unfinished)
    if (error instanceof OperatorError) throw error
    throw new OperatorError(
      `Cannot copy ${file} to ${copiesOf(dataDir)} before the upgrade (${(error as Error).message}). Nothing was changed. ` +
        `Usually the disk is full: the copy needs as much space as ${file}.`,
    )
  }
}

/**
 * For a service with DuckDB whose first clicks still wait in the journal: undoing takes away the click log that the newer
 * version makes of them. `copy` is that of the records.
 */
export function keepWaitingClicks(dataDir: string, copy: string): void {
  if (!existsSync(join(dataDir, clickLog))) keepJournals(dataDir, dirname(copy))
}

/** What this process copies belongs to one upgrade. */
function folderFor(dataDir: string, file: UpgradedFile, migration: string, now: number): string {
  const last = upgradesIn(dataDir).at(-1)
  const isOfThisProcess = last && last.at >= timeOf(Date.now() - process.uptime() * 1000)
  if (isOfThisProcess && !last.files.includes(file)) return last.place
  return join(copiesOf(dataDir), `${timeOf(now)}-before-${migration}`)
}

export interface UndoneUpgrade {
  /** What was put back. */
  readonly files: readonly string[]
  /** Whether the clicks are as they were before, too. */
  readonly clicks: boolean
  /** The folder with what it replaced. */
  readonly replaced: string
}

/** Undoes the last upgrade, while no service runs. If it is interrupted, the next one does the rest. */
export function undoUpgrade(dataDir: string, now = Date.now()): UndoneUpgrade {
  const last = upgradesIn(dataDir).at(-1)
  if (!last) throw new OperatorError(`${copiesOf(dataDir)} has no copy from before an upgrade.`)
  const replaced = join(copiesOf(dataDir), `undone-${timeOf(now)}`)
  mkdirSync(replaced, { mode: 0o700 })
  const clicks = existsSync(journalFolder(last.place))
  if (clicks) keepJournals(last.place, dataDir)
  // The click log that the newer version made: the older one makes its own, from the journal.
  if (clicks && !last.files.includes(clickLog)) {
    for (const name of [clickLog, `${clickLog}.wal`]) takeAway(dataDir, name, replaced)
  }
  for (const file of last.files) {
    const path = join(dataDir, file)
    if (isSqlite(file)) emptyLog(path)
    // Of another file than the one that takes its place.
    else takeAway(dataDir, `${file}.wal`, replaced)
    if (existsSync(path)) keep(path, join(replaced, file))
    renameSync(last.place.endsWith('.sqlite') ? last.place : join(last.place, file), path)
    for (const ending of ['-wal', '-shm']) rmSync(`${path}${ending}`, { force: true })
  }
  rmSync(last.place, { recursive: true, force: true })
  return { files: last.files, clicks, replaced }
}

function takeAway(dataDir: string, name: string, to: string): void {
  if (existsSync(join(dataDir, name))) renameSync(join(dataDir, name), join(to, name))
}

function isSqlite(file: UpgradedFile): boolean {
  return file.endsWith('.sqlite')
}

function keepJournals(from: string, to: string): void {
  for (const folder of journalFolders(from)) keepMissing(folder, join(to, basename(folder)))
}

/** The files of a folder that the other one does not have. */
function keepMissing(from: string, to: string): void {
  mkdirSync(to, { recursive: true, mode: 0o700 })
  if (!existsSync(from)) return
  for (const name of readdirSync(from)) if (!existsSync(join(to, name))) keep(join(from, name), join(to, name))
}

/** Under both names, so that there is a file at every moment. Some file systems have no hard links. */
function keep(file: string, to: string): void {
  try {
    linkSync(file, to)
  } catch {
    copyFileSync(file, to)
  }
}

/** Writes what is in the write-ahead log into the file itself. */
function emptyLog(file: string): void {
  const database = new Database(file)
  try {
    database.pragma('wal_checkpoint(TRUNCATE)')
  } finally {
    database.close()
  }
}

/** For messages; empty if there is nothing to go back to. */
export function wayBack(dataDir: string): string {
  if (upgradesIn(dataDir).length === 0) return ''
  return 'To go back to before the last upgrade, which loses all later changes: "shortlink upgrade undo".'
}

interface Upgrade {
  readonly at: string
  /** A folder; of former versions, a file with the records. */
  readonly place: string
  readonly files: readonly UpgradedFile[]
}

/** Oldest first. */
function upgradesIn(dataDir: string): readonly Upgrade[] {
  const folder = copiesOf(dataDir)
  const names = existsSync(folder) ? readdirSync(folder) : []
  const upgrades = names.flatMap((name): Upgrade[] => {
    const place = join(folder, name)
    // Names of version 1.0.0 have no time.
    const [, former = ''] = /^records-(?:(\d.*Z)-)?before-.*\.sqlite$/.exec(name) ?? []
    if (name.startsWith('records-'))
      return name.endsWith('.sqlite') ? [{ at: former, place, files: ['records.sqlite'] }] : []
    const [, at] = /^(\d.*Z)-before-/.exec(name) ?? []
    const files = upgradedFiles.filter((file) => existsSync(join(place, file)))
    return at === undefined || files.length === 0 ? [] : [{ at, place, files }]
  })
  return upgrades.toSorted((one, other) => (`${one.at} ${one.place}` < `${other.at} ${other.place}` ? -1 : 1))
}

function copiesOf(dataDir: string): string {
  return join(dataDir, 'before-upgrade')
}

/** A name for every file system. */
function timeOf(at: number): string {
  return new Date(at).toISOString().replaceAll(':', '')
}
