/**
 * Backups in an S3-compatible store. Files are stored once, by their SHA-256, in pieces, and shared by all backups that have
 * them. The index is written last: a backup that it does not name does not exist.
 */
import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import type { NewCopy } from '../../core/copies/copy.js'
import type { BackupManifest, CopiedFile } from '../../core/copies/manifest.js'
import type { Backup } from '../../core/copies/restore-backup.js'
import type { Blobs } from '../../core/images/blobs.js'
import { OperatorError } from '../../lib/operator-error.js'
import { StoreError } from './explained-blobs.js'
import { backupFormat, manifestFile, manifestFrom } from './manifest.js'
import { newFolder } from './new-copy.js'
import { copyOf, type FoundBackup } from './open-copy.js'

const pieceBytes = 16 * 2 ** 20
const indexKey = 'index.json'
/** What is being uploaded or deleted: after an interruption, files of it that no backup has are deleted. */
const unfinishedKey = 'unfinished.json'

type StoredFile = Pick<CopiedFile, 'path' | 'sha256' | 'bytes'>

interface Unfinished {
  /** Of the program that works on it. */
  readonly id: string
  /** The backup that is being uploaded; empty while one is being deleted. */
  readonly name: string
  readonly files: readonly StoredFile[]
  /** What programs before it have left. */
  readonly left: { readonly names: readonly string[]; readonly files: readonly StoredFile[] }
}

const nothingUnfinished: Unfinished = { id: '', name: '', files: [], left: { names: [], files: [] } }

export interface S3Backups {
  /** Oldest first; one whose upload was interrupted comes last. */
  list(): Promise<readonly Omit<FoundBackup, 'path'>[]>
  /** `folder` holds the files until they are stored. */
  create(name: string, folder: string): Promise<NewCopy>
  /** Files that must be read by their path are loaded into the folder `scratch`, one at a time. */
  open(name: string, scratch: string): Promise<Backup>
  remove(name: string): Promise<void>
  /** What an interrupted backup left. */
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
    try {
      return bytes && (JSON.parse(Buffer.from(bytes).toString('utf8')) as T)
    } catch {
      throw new OperatorError(
        `${key} in the store of backups is damaged. Restore its last version, or use another prefix.`,
      )
    }
  }

  async function names(): Promise<readonly string[]> {
    return (await getJson<readonly string[]>(indexKey)) ?? []
  }

  async function unfinished(): Promise<Unfinished> {
    const found = await getJson<Unfinished | readonly StoredFile[]>(unfinishedKey)
    // Former versions wrote the files only.
    return Array.isArray(found) ? { ...nothingUnfinished, files: found } : ((found as Unfinished) ?? nothingUnfinished)
  }

  async function manifestOf(name: string): Promise<BackupManifest> {
    const bytes = await blobs.get(manifestKey(name))
    if (!bytes) throw new OperatorError(`${manifestKey(name)} is missing in the store. Use another backup.`)
    return manifestFrom(Buffer.from(bytes).toString('utf8'), name, backupFormat)
  }

  async function finished(): Promise<readonly Omit<FoundBackup, 'path'>[]> {
    const found: Omit<FoundBackup, 'path'>[] = []
    for (const name of await names()) {
      const read = await manifestOf(name).catch((error: unknown) => {
        if (error instanceof OperatorError && !(error instanceof StoreError)) return error.message
        throw error
      })
      found.push(typeof read === 'string' ? { name, manifest: undefined, problem: read } : { name, manifest: read })
    }
    return found
  }

  /** From here on every other program that writes sees that it is not alone. */
  async function begin(name: string, files: readonly StoredFile[]): Promise<string> {
    const before = await unfinished()
    const id = randomUUID()
    const some = files.map(({ path, sha256, bytes }) => ({ path, sha256, bytes }))
    const left = {
      names: [...new Set([before.name, ...before.left.names])].filter((each) => each !== ''),
      files: [...new Map([...before.files, ...before.left.files].map((file) => [file.sha256, file])).values()],
    }
    await putJson(unfinishedKey, { id, name, files: some, left } satisfies Unfinished)
    return id
  }

  /** Deletes what no backup has. Everything stays while a manifest cannot be read. */
  async function cleanUp(): Promise<void> {
    const { name, files, left } = await unfinished()
    const complete = await finished()
    if (complete.some(({ manifest }) => !manifest)) return
    const used = new Set(complete.flatMap(({ manifest }) => manifest?.files.map(({ sha256 }) => sha256) ?? []))
    for (const { sha256, bytes } of [...files, ...left.files].filter((file) => !used.has(file.sha256))) {
      for (let piece = 0; piece < piecesOf(bytes); piece++) await blobs.remove(pieceKey(sha256, piece))
    }
    const known = new Set(complete.map((backup) => backup.name))
    for (const each of [name, ...left.names]) if (each !== '' && !known.has(each)) await blobs.remove(manifestKey(each))
    await blobs.remove(unfinishedKey)
  }

  /** Before a backup counts. Without it two programs that write at once could delete each other's files. */
  async function requireAlone(id: string, previous: string | undefined): Promise<void> {
    const isAlone = (await unfinished()).id === id && (previous === undefined || (await names()).includes(previous))
    if (isAlone) return
    throw new OperatorError(
      'Another program wrote to the same store of backups meanwhile, so this one may lack files and was not finished. ' +
        'Run it again, and let only one program at a time write to a prefix.',
    )
  }

  /** Names of files that are not there as a whole. */
  async function missingOf(files: readonly StoredFile[]): Promise<readonly string[]> {
    const missing: string[] = []
    for (const file of files) {
      // Pieces are stored in order.
      const last = piecesOf(file.bytes) - 1
      if (last >= 0 && !(await blobs.get(pieceKey(file.sha256, last)))) missing.push(file.path)
    }
    return missing
  }

  async function explainMissing(name: string): Promise<OperatorError> {
    const { name: interrupted, files } = await unfinished()
    if (interrupted !== name)
      return new OperatorError(`There is no backup "${name}" in the store. "backup list s3:" shows all.`)
    const missing = await missingOf(files)
    const what = missing.length === 0 ? 'manifest.json' : listed(missing)
    return new OperatorError(
      `The upload of "${name}" was interrupted; missing in the store: ${what}. Make another backup, which deletes what is left of it.`,
    )
  }

  async function upload(path: string, { sha256 }: StoredFile): Promise<void> {
    let piece = 0
    for await (const bytes of inPieces(createReadStream(path, { highWaterMark: 1 << 20 }))) {
      await blobs.put(pieceKey(sha256, piece++), bytes, 'application/octet-stream')
    }
  }

  async function* contentOf({ path, sha256, bytes }: CopiedFile): AsyncGenerator<Uint8Array> {
    for (let piece = 0; piece < piecesOf(bytes); piece++) {
      const content = await blobs.get(pieceKey(sha256, piece))
      if (!content) throw new OperatorError(`${path} is missing in the store. Use another backup.`)
      yield content
    }
  }

  return {
    async list() {
      const complete = await finished()
      const { name } = await unfinished()
      const isInterrupted = name !== '' && complete.every((backup) => backup.name !== name)
      return isInterrupted ? [...complete, { name, manifest: undefined, problem: 'not finished' }] : complete
    },

    async create(name, folder) {
      if ((await names()).includes(name)) throw new OperatorError(`There is a backup "${name}" already.`)
      const made = await newFolder(folder, backupFormat)
      const previous = (await finished()).findLast(({ manifest }) => manifest)
      const files = previous?.manifest?.files ?? []
      const stored = new Set(files.map(({ sha256 }) => sha256))
      return {
        ...made,
        reusable: new Map(files.map((file) => [file.path, file])),
        reuse: async (file) => ({ ...file, reused_from: file.reused_from ?? previous?.name ?? '' }),
        async finish(manifest) {
          const fresh = manifest.files.filter(({ sha256 }) => !stored.has(sha256))
          const id = await begin(name, fresh)
          for (const file of fresh) await upload(made.pathOf(file.path), file)
          await putJson(manifestKey(name), manifest)
          await requireAlone(id, previous?.name)
          await putJson(indexKey, [...(await names()), name])
          await cleanUp()
        },
      }
    },

    async open(name, scratch) {
      if (!(await names()).includes(name)) throw await explainMissing(name)
      const content = { read: contentOf, placeOf: ({ path }: CopiedFile) => `${path} in the store` }
      return copyOf(await manifestOf(name), content, scratch)
    },

    async remove(name) {
      const found = (await finished()).find((backup) => backup.name === name)
      await begin('', found?.manifest?.files ?? [])
      const others = (await names()).filter((other) => other !== name)
      await putJson(indexKey, others)
      await blobs.remove(manifestKey(name))
      await cleanUp()
    },

    async removeUnfinished() {
      if (!(await blobs.get(unfinishedKey))) return
      await begin('', [])
      await cleanUp()
    },
  }
}

function listed(paths: readonly string[]): string {
  const more = paths.length - shownPaths
  return paths.slice(0, shownPaths).join(', ') + (more > 0 ? ` and ${more} more` : '')
}
const shownPaths = 5

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
