/** What a backup says of itself. The manifest is written last: a folder without one is not a backup. */
import { createHash } from 'node:crypto'
import type { ArchivedFile } from '../archives/archive-files.js'
import type { ClickCopy } from '../clicks/click-copy.js'

export interface BackupManifest {
  readonly format: 'shortlink backup'
  /** Of the format; raised when a reader of this version could not read it. */
  readonly version: 1
  /** The program that wrote it. */
  readonly program: string
  /** The newest migration of its database. */
  readonly schema: string
  readonly started_at: string
  readonly finished_at: string
  readonly engines: { readonly records: 'sqlite' | 'postgres'; readonly clicks: ClickCopy['engine'] }
  readonly secrets: 'encrypted' | 'left out'
  readonly counts: BackupCounts
  /** Groups of clicks that were counted, but not yet published to the stream. Only the journal has them. */
  readonly unpublished: number
  /** Images that the records name and the store did not have. */
  readonly missing_images: readonly string[]
  readonly files: readonly BackupFile[]
  /** SHA-256 of everything above as JSON; former versions wrote none. */
  readonly checksum?: string
}

/** Of a manifest without its checksum, with the fields in the order of the file. */
export function checksumOf({ checksum: _, ...rest }: object & Pick<BackupManifest, 'checksum'>): string {
  return createHash('sha256').update(JSON.stringify(rest)).digest('hex')
}

export interface BackupCounts {
  readonly links: number
  readonly users: number
  readonly images: number
  /** Totals counted as the clicks they stand for. */
  readonly clicks: number
}

export interface BackupFile extends ArchivedFile {
  /** Of the rows; the next backup copies the file again only if it differs. */
  readonly fingerprint?: string
  /** The backup that the file was taken from without copying it. Here it is complete all the same. */
  readonly reused_from?: string
}

export type RecordsEngine = BackupManifest['engines']['records']

/** Where the parts of a backup are. */
export const backupRooms = { records: 'records', clicks: 'clicks', files: 'files', images: 'images' } as const
export const secretsFile = 'secrets.json'

/** The files of a room, without its name. */
export function filesIn(manifest: BackupManifest, room: keyof typeof backupRooms): readonly BackupFile[] {
  return manifest.files.filter(({ path }) => path.startsWith(`${room}/`))
}

export function nameOf({ path }: Pick<BackupFile, 'path'>): string {
  return path.slice(path.indexOf('/') + 1)
}

export function bytesOf({ files }: Pick<BackupManifest, 'files'>): number {
  return files.reduce((sum, file) => sum + file.bytes, 0)
}
