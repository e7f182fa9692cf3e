/**
 * Restores a backup into an empty installation. First every checksum is compared; records come last, so that what an
 * interrupted restore leaves is recognised, and the same command repeats it.
 */
import { OperatorError } from '../../lib/operator-error.js'
import type { Blobs } from '../images/blobs.js'
import type { Secrets } from './make-backup.js'
import { type BackupFile, type BackupManifest, filesIn, nameOf, secretsFile } from './manifest.js'

export interface RestoreDeps {
  readonly backup: Backup
  readonly place: EmptyPlace
  /** Undefined: secrets are not restored. */
  readonly decryptSecrets: ((bytes: Uint8Array) => Promise<Secrets>) | undefined
}

/** A complete backup. */
export interface Backup {
  readonly manifest: BackupManifest
  bytes(file: BackupFile): Promise<Uint8Array>
  /** A path with the file's content, for as long as the work takes. */
  withFile<T>(file: BackupFile, work: (path: string) => Promise<T>): Promise<T>
  /** Throws an OperatorError when the file is missing or differs from the manifest. */
  verify(file: BackupFile): Promise<void>
}

/** The new installation. Nothing counts before `finish`. */
export interface EmptyPlace {
  /**
   * Throws an OperatorError if there is something already, unless an interrupted restore left it. `complete`: that one had
   * only to finish.
   */
  begin(): Promise<'empty' | 'complete'>
  readonly blobs: Pick<Blobs, 'put'>
  /** A file of the data directory. */
  writeFile(name: string, content: Uint8Array): Promise<void>
  copyFile(name: string, from: string): Promise<void>
  restoreClicks(backup: Backup, onPart: (done: number) => void): Promise<void>
  restoreRecords(backup: Backup): Promise<void>
  finish(): Promise<void>
}

export interface RestoreProgress {
  readonly what: 'checking' | 'images' | 'clicks' | 'records'
  readonly done: number
  readonly of: number
}

export async function restoreBackup(
  { backup, place, decryptSecrets }: RestoreDeps,
  tell: (progress: RestoreProgress) => void,
): Promise<void> {
  const { manifest } = backup
  await verifyBackup(backup, (done) => tell({ what: 'checking', done, of: manifest.files.length }))
  // Before anything is written: the passphrase may be wrong.
  const sealed = manifest.files.find(({ path }) => path === secretsFile)
  const secrets = sealed && decryptSecrets ? await decryptSecrets(await backup.bytes(sealed)) : {}
  if ((await place.begin()) === 'complete') return place.finish()
  for (const [name, content] of Object.entries(secrets)) await place.writeFile(name, content)
  for (const file of filesIn(manifest, 'files')) {
    await backup.withFile(file, (path) => place.copyFile(nameOf(file), path))
  }
  const images = filesIn(manifest, 'images')
  for (const [index, file] of images.entries()) {
    if (index % 100 === 0) tell({ what: 'images', done: index, of: images.length })
    await place.blobs.put(nameOf(file), await backup.bytes(file), 'application/octet-stream')
  }
  const { length: parts } = filesIn(manifest, 'clicks')
  await place.restoreClicks(backup, (done) => tell({ what: 'clicks', done, of: parts }))
  tell({ what: 'records', done: 0, of: 1 })
  await place.restoreRecords(backup)
  await place.finish()
}

/** Compares every file with the manifest, and names all that are missing or damaged. */
export async function verifyBackup(backup: Backup, onFile: (done: number) => void): Promise<void> {
  const problems: { readonly path: string; readonly error: OperatorError }[] = []
  for (const [index, file] of backup.manifest.files.entries()) {
    onFile(index)
    await backup.verify(file).catch((error: unknown) => {
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
    `${paths.length} of ${backup.manifest.files.length} files are missing or damaged (${some}). ${first.error.message}`,
  )
}

const shownPaths = 10
