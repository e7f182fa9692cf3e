/**
 * A copy of everything: an archive, which other programs can read, or a backup, from which the same engines continue. Its
 * manifest is written last: without one it is no copy.
 */
import { createHash } from 'node:crypto'
import { OperatorError } from '../../lib/operator-error.js'
import type { BackupManifest, CopiedFile, Manifest } from './manifest.js'

/** Of a manifest without its checksum, with the fields in the order of the file. */
export function checksumOf({ checksum: _, ...rest }: object & Pick<BackupManifest, 'checksum'>): string {
  return createHash('sha256').update(JSON.stringify(rest)).digest('hex')
}

/** Where the parts of a copy are; an archive has no `files`. */
export type Room = 'records' | 'clicks' | 'images' | 'files'
export const secretsFile = 'secrets.json'

export function filesIn({ files }: Pick<Manifest, 'files'>, room: Room): readonly CopiedFile[] {
  return files.filter(({ path }) => path.startsWith(`${room}/`))
}

/** Without the room. */
export function nameOf({ path }: Pick<CopiedFile, 'path'>): string {
  return path.slice(path.indexOf('/') + 1)
}

export function bytesOf({ files }: Pick<Manifest, 'files'>): number {
  return files.reduce((sum, file) => sum + file.bytes, 0)
}

export function inOrderOfPaths(files: readonly CopiedFile[]): CopiedFile[] {
  return files.toSorted((one, other) => (one.path < other.path ? -1 : 1))
}

/** A copy that is being written. It counts when it is finished. */
export interface NewCopy {
  /** The path of a file, for those who write it themselves. */
  pathOf(name: string): string
  create(name: string): Promise<NewFile>
  /** A file that somebody else wrote. */
  describe(name: string, rows?: number): Promise<CopiedFile>
  /** Files of the newest complete copy beside it, by path, that can be taken instead of written. */
  readonly reusable: ReadonlyMap<string, CopiedFile>
  reuse(file: CopiedFile): Promise<CopiedFile>
  finish(manifest: Manifest): Promise<void>
  /** Removes what was written; nothing happens after `finish`. */
  discard(): Promise<void>
}

export interface NewFile {
  write(text: string | Uint8Array): Promise<void>
  /** After the last write. */
  close(rows?: number): Promise<CopiedFile>
}

export async function writeFile(copy: NewCopy, path: string, content: string | Uint8Array): Promise<CopiedFile> {
  const file = await copy.create(path)
  await file.write(content)
  return file.close()
}

/** A complete copy. */
export interface Copy<M extends Manifest = Manifest> {
  readonly manifest: M
  bytes(file: CopiedFile): Promise<Uint8Array>
  /** A path with the file's content, for as long as the work takes. */
  withFile<T>(file: CopiedFile, work: (path: string) => Promise<T>): Promise<T>
  /** Throws an OperatorError when the file is missing or differs from the manifest. */
  verify(file: CopiedFile): Promise<void>
}

export interface Progress<What extends string> {
  readonly what: What
  readonly done?: number
  /** Undefined when it is not known yet. */
  readonly of?: number
}

export type Tell<What extends string> = (progress: Progress<What>) => void

/** Compares every file with the manifest, and names all that are missing or damaged. */
export async function verifyCopy(copy: Copy, tell: Tell<'checking'>): Promise<void> {
  const { files } = copy.manifest
  const problems: { readonly path: string; readonly error: OperatorError }[] = []
  for (const [index, file] of files.entries()) {
    tell({ what: 'checking', done: index, of: files.length })
    await copy.verify(file).catch((error: unknown) => {
      if (!(error instanceof OperatorError)) throw error
      problems.push({ path: file.path, error })
    })
  }
  const [first, ...others] = problems
  if (!first) return
  if (others.length === 0) throw first.error
  const paths = problems.map(({ path }) => path)
  const some = paths.slice(0, shownPaths).join(', ') + (paths.length > shownPaths ? ', ...' : '')
  throw new OperatorError(
    `${paths.length} of ${files.length} files are missing or damaged (${some}). ${first.error.message}`,
  )
}

const shownPaths = 10

/** A line of the log, with the path of a copy of records or clicks. */
export const keptBeforeUpgrade =
  'kept a copy from before this upgrade; to go back, stop the service, run "shortlink upgrade undo" and start the former ' +
  'version (docs/operating.md#upgrade)'
