/**
 * Backups in an S3-compatible store. Files are stored once, by their SHA-256, in pieces, and shared by all backups that have
 * them. The index is written last: a backup that it does not name does not exist.
 */
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type BackupFile, type BackupManifest, backupRooms, secretsFile } from '../../core/backups/manifest.js'
import type { Backup } from '../../core/backups/restore-backup.js'
import type { Blobs } from '../../core/images/blobs.js'
import { OperatorError } from '../../lib/operator-error.js'
import { manifestFile, newFolder } from '../archives/unfinished-folder.js'
import type { UnfinishedBackup } from './new-backup.js'
import { manifestFrom } from './read-manifest.js'

const pieceBytes = 16 * 2 ** 20
const indexKey = 'index.json'
/** What is being uploaded, to delete it if it is never finished. */
const unfinishedKey = 'unfinished.json'

type StoredFile = Pick<BackupFile, 'sha256' | 'bytes'>

export interface S3Backups {
  /** Names, oldest first, with their manifests. */
  list(): Promise<readonly { readonly name: string; readonly manifest: BackupManifest }[]>
  /** `folder` holds the files until they are stored. */
  create(name: string, folder: string): Promise<UnfinishedBackup>
  /** Files that must be read by their path are loaded into the folder `scratch`, one at a time. */
  open(name: string, scratch: string): Promise<Backup>
  remove(name: string): Promise<void>
  removeUnfinished(): Promise<void>
}

/** Whether `backupTo` is a store, not a folder. */
export function isStoreUrl(backupTo: string): boolean {
  return /^https?:/.test(backupTo)
}

export function s3Backups(blobs: Blobs): S3Backups {
  const manifestKey = (name: string) => `${name}/${manifestFile}`
  const pieceKey = (sha256: string, piece: number) => `files/${sha256}-${piece}`
  const putJson = (key: string, value: unknown) =>
    blobs.put(key, Buffer.from(JSON.stringify(value, undefined, 2)), 'application/json')

  async function getJson<T>(key: string): Promise<T | undefined> {
    const bytes = await blobs.get(key)
    return bytes && (JSON.parse(Buffer.from(bytes).toString('utf8')) as T)
  }

  async function names(): Promise<readonly string[]> {
    return (await getJson<readonly string[]>(indexKey)) ?? []
  }

  async function manifestOf(name: string): Promise<BackupManifest> {
    const bytes = (await names()).includes(name) ? await blobs.get(manifestKey(name)) : undefined
    if (!bytes) throw new OperatorError(`There is no backup "${name}" in the store. "backup list s3:" shows all.`)
    return manifestFrom(Buffer.from(bytes).toString('utf8'), name)
  }

  async function list() {
    const found: { name: string; manifest: BackupManifest }[] = []
    for (const name of await names()) found.push({ name, manifest: await manifestOf(name) })
    return found
  }

  /** Deletes these files, except for those that a backup has. */
  async function removeFiles(files: readonly StoredFile[]): Promise<void> {
    const used = new Set((await list()).flatMap(({ manifest }) => manifest.files.map(({ sha256 }) => sha256)))
    for (const { sha256, bytes } of files.filter((file) => !used.has(file.sha256))) {
      for (let piece = 0; piece < piecesOf(bytes); piece++) await blobs.remove(pieceKey(sha256, piece))
    }
  }

  async function upload(path: string, { sha256 }: StoredFile): Promise<void> {
    let piece = 0
    for await (const bytes of inPieces(createReadStream(path, { highWaterMark: 1 << 20 }))) {
      await blobs.put(pieceKey(sha256, piece++), bytes, 'application/octet-stream')
    }
  }

  async function* contentOf({ path, sha256, bytes }: BackupFile): AsyncGenerator<Uint8Array> {
    for (let piece = 0; piece < piecesOf(bytes); piece++) {
      const content = await blobs.get(pieceKey(sha256, piece))
      if (!content) throw new OperatorError(`${path} is missing in the store. Use another backup.`)
      yield content
    }
  }

  return {
    list,

    async create(name, folder) {
      if ((await names()).includes(name)) throw new OperatorError(`There is a backup "${name}" already.`)
      const made = await newFolder(folder, {
        ...{ what: 'backup', rooms: Object.values(backupRooms), files: [secretsFile] },
      })
      const previous = (await list()).at(-1)
      const stored = new Set(previous?.manifest.files.map(({ sha256 }) => sha256))
      return {
        ...made,
        previous: previous?.manifest,
        canReuse: () => true,
        reuse: async (file) => ({ ...file, reused_from: file.reused_from ?? previous?.name ?? '' }),
        async finish(manifest) {
          const fresh = manifest.files.filter(({ sha256 }) => !stored.has(sha256))
          await putJson(
            unfinishedKey,
            fresh.map(({ sha256, bytes }) => ({ sha256, bytes })),
          )
          for (const file of fresh) await upload(made.pathOf(file.path), file)
          await putJson(manifestKey(name), manifest)
          await putJson(indexKey, [...(await names()), name])
          await blobs.remove(unfinishedKey)
        },
      }
    },

    async open(name, scratch) {
      const manifest = await manifestOf(name)
      return {
        manifest,
        async bytes(file) {
          const pieces: Uint8Array[] = []
          for await (const piece of contentOf(file)) pieces.push(piece)
          return Buffer.concat(pieces)
        },
        async withFile(file, work) {
          const path = join(scratch, '.loaded')
          try {
            await pipeline(Readable.from(contentOf(file)), createWriteStream(path, { mode: 0o600 }))
            return await work(path)
          } finally {
            await rm(path, { force: true })
          }
        },
        async verify(file) {
          const hash = createHash('sha256')
          for await (const piece of contentOf(file)) hash.update(piece)
          if (hash.digest('hex') === file.sha256) return
          throw new OperatorError(`${file.path} in the store differs from the manifest. Use another backup.`)
        },
      }
    },

    async remove(name) {
      const { files } = await manifestOf(name)
      const others = (await names()).filter((other) => other !== name)
      await putJson(indexKey, others)
      await blobs.remove(manifestKey(name))
      await removeFiles(files)
    },

    async removeUnfinished() {
      const files = await getJson<readonly StoredFile[]>(unfinishedKey)
      if (!files) return
      await removeFiles(files)
      await blobs.remove(unfinishedKey)
    },
  }
}

/** An empty file has none. */
function piecesOf(bytes: number): number {
  return Math.ceil(bytes / pieceBytes)
}

async function* inPieces(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let chunks: Buffer[] = []
  let length = 0
  for await (const chunk of stream) {
    let rest = chunk
    while (length + rest.length >= pieceBytes) {
      const end = pieceBytes - length
      yield Buffer.concat([...chunks, rest.subarray(0, end)])
      rest = rest.subarray(end)
      chunks = []
      length = 0
    }
    chunks.push(rest)
    length += rest.length
  }
  if (length > 0) yield Buffer.concat(chunks)
}
