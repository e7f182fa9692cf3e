/**
 * Restores a backup into an empty installation. First every checksum is compared; records come last, so that what an
 * interrupted restore leaves is recognised, and the same command repeats it.
 */
import type { Blobs } from '../images/blobs.js'
import { type Copy, filesIn, nameOf, secretsFile, type Tell, verifyCopy } from './copy.js'
import type { Secrets } from './make-backup.js'
import type { BackupManifest } from './manifest.js'

/** A complete backup. */
export type Backup = Copy<BackupManifest>

export interface RestoreDeps {
  readonly backup: Backup
  readonly place: EmptyPlace
  /** Undefined: secrets are not restored. */
  readonly decryptSecrets: ((bytes: Uint8Array) => Promise<Secrets>) | undefined
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

export type RestoreStep = 'checking' | 'images' | 'clicks' | 'records'

export async function restoreBackup(
  { backup, place, decryptSecrets }: RestoreDeps,
  tell: Tell<RestoreStep>,
): Promise<void> {
  const { manifest } = backup
  await verifyCopy(backup, tell)
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
