/**
 * Makes a backup while the service runs. The order matters, because each store is copied at its own moment:
 * 1. the click log, after it has every click of the journal, so the journal itself is not copied;
 * 2. the records, which then have every link of the click log;
 * 3. the stream, which then has every click of the log and every event that has left the outbox of the records, and does not
 *    deliver again what the records call delivered;
 * 4. images, which never change and are named by the records.
 * So clicks are in it exactly once, and after a restore readers may get messages twice, but never too few.
 */

import { OperatorError } from '../../lib/operator-error.js'
import type { ClickCopier } from '../clicks/click-copy.js'
import type { Blobs } from '../images/blobs.js'
import type { Clock } from '../values/time.js'
import { checksumOf, filesIn, inOrderOfPaths, type NewCopy, nameOf, secretsFile, type Tell, writeFile } from './copy.js'
import type { BackupManifest, CopiedFile } from './manifest.js'

export interface BackupDeps {
  readonly target: NewCopy
  readonly clickCopier: ClickCopier
  readonly recordCopier: RecordCopier
  readonly dataFiles: DataFiles
  readonly blobs: Pick<Blobs, 'get'>
  /** Undefined: secrets are left out. */
  readonly encryptSecrets: ((secrets: Secrets) => Promise<Uint8Array>) | undefined
  readonly clock: Clock
}

export interface RecordCopier {
  readonly engine: BackupManifest['engines']['records']
  /** Differs after an import of links has noted that its clicks are counted. */
  countedImports(): Promise<string>
  /** Copies the records of one moment into a folder. */
  copy(folder: string): Promise<RecordCopy>
}

export interface RecordCopy {
  readonly files: readonly { readonly name: string; readonly rows?: number }[]
  readonly counts: Pick<BackupManifest['counts'], 'links' | 'users'>
  /** Blobs that the records refer to. */
  readonly blobKeys: readonly string[]
  /** At the moment of the copy. */
  readonly countedImports: string
  /** The newest migration of the database. */
  readonly schema: string
}

/** Small files of the data directory by name. */
export type Secrets = Readonly<Record<string, Uint8Array>>

export interface DataFiles {
  /** Copies what the stream has stored, and positions, into a folder; returns the names. */
  copy(folder: string): Promise<readonly string[]>
  secrets(): Promise<Secrets>
}

export type BackupStep = 'clicks' | 'records' | 'images' | 'checksums'

export async function makeBackup(deps: BackupDeps, program: string, tell: Tell<BackupStep>): Promise<BackupManifest> {
  const { target, clock, recordCopier } = deps
  const startedAt = clock.now()
  const before = await recordCopier.countedImports()
  const clicks = await copyClicks(deps, tell)
  tell({ what: 'records' })
  const records = await recordCopier.copy(target.pathOf('records'))
  if (records.countedImports !== before) {
    throw new OperatorError(
      'An import of links ended while the backup was made: some of its clicks would be missing, and importing again would not bring ' +
        'them. Run the backup again.',
    )
  }
  const names = await deps.dataFiles.copy(target.pathOf('files'))
  const images = await copyImages(deps, records.blobKeys, tell)
  const files: CopiedFile[] = [...clicks.files, ...images.files, ...(await writeSecrets(deps))]
  const others = [
    ...names.map((name) => ({ path: `files/${name}`, rows: undefined })),
    ...records.files.map(({ name, rows }) => ({ path: `records/${name}`, rows })),
  ]
  for (const [index, { path, rows }] of others.entries()) {
    tell({ what: 'checksums', done: index, of: others.length })
    files.push(await target.describe(path, rows))
  }
  const described: BackupManifest = {
    format: 'shortlink backup',
    version: 1,
    program,
    schema: records.schema,
    started_at: new Date(startedAt).toISOString(),
    finished_at: new Date(clock.now()).toISOString(),
    engines: { records: recordCopier.engine, clicks: clicks.engine },
    secrets: deps.encryptSecrets ? 'encrypted' : 'left out',
    counts: { ...records.counts, images: images.files.length, clicks: clicks.count },
    unpublished: clicks.unpublished,
    missing_images: images.missing,
    files: inOrderOfPaths(files),
  }
  const manifest = { ...described, checksum: checksumOf(described) }
  await target.finish(manifest)
  return manifest
}

async function copyClicks({ target, clickCopier }: BackupDeps, tell: Tell<BackupStep>) {
  tell({ what: 'clicks' })
  const known = filesIn({ files: [...target.reusable.values()] }, 'clicks').flatMap((file) =>
    file.fingerprint ? [{ name: nameOf(file), fingerprint: file.fingerprint }] : [],
  )
  const copy = await clickCopier.copyClicks(target.pathOf('clicks'), known)
  const files: CopiedFile[] = []
  for (const [index, { name, rows, fingerprint, written }] of copy.parts.entries()) {
    tell({ what: 'checksums', done: index, of: copy.parts.length })
    const path = `clicks/${name}`
    const old = target.reusable.get(path)
    const file = written || !old ? await target.describe(path, rows) : await target.reuse(old)
    files.push({ ...file, fingerprint })
  }
  return { engine: copy.engine, count: copy.clicks, unpublished: copy.unpublished ?? 0, files }
}

async function copyImages({ target, blobs }: BackupDeps, keys: readonly string[], tell: Tell<BackupStep>) {
  const files: CopiedFile[] = []
  const missing: string[] = []
  for (const [index, key] of keys.entries()) {
    if (index % 100 === 0) tell({ what: 'images', done: index, of: keys.length })
    const path = `images/${key}`
    // A blob never changes.
    const old = target.reusable.get(path)
    const bytes = old ? undefined : await blobs.get(key)
    if (old) files.push(await target.reuse(old))
    else if (bytes) files.push(await writeFile(target, path, bytes))
    else missing.push(key)
  }
  return { files, missing }
}

async function writeSecrets({ target, dataFiles, encryptSecrets }: BackupDeps): Promise<readonly CopiedFile[]> {
  if (!encryptSecrets) return []
  return [await writeFile(target, secretsFile, await encryptSecrets(await dataFiles.secrets()))]
}
