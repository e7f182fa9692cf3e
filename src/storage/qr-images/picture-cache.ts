/**
 * Pictures as files with a bounded total size: those that were not asked for the longest go first. A file begins with the
 * hash of the rest, so that one that was cut off or damaged is never served.
 */
import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const hashLength = 32
const isKey = /^[0-9a-f]{64}$/

export class PictureCache {
  readonly #folder: string
  readonly #mostBytes: number
  /** Sizes by key; the next to go is the first. */
  readonly #sizes = new Map<string, number>()
  #bytes = 0
  #opened: Promise<void> | undefined

  constructor(folder: string, mostBytes: number) {
    this.#folder = folder
    this.#mostBytes = mostBytes
  }

  /** `key`: a SHA-256 in hexadecimal digits. */
  async get(key: string): Promise<Uint8Array | undefined> {
    await this.#open()
    if (!this.#sizes.has(key)) return undefined
    const file = await readFile(this.#file(key)).catch(() => undefined)
    const picture = file && undamaged(file)
    if (picture) this.#note(key, file.length)
    else await this.#remove(key)
    return picture
  }

  async put(key: string, picture: Uint8Array): Promise<void> {
    await this.#open()
    const file = Buffer.concat([hashOf(picture), picture])
    // Complete or not there at all: a crash amid writing leaves another name.
    const unfinished = `${this.#file(key)}.${randomUUID()}.tmp`
    try {
      await writeFile(unfinished, file, { mode: 0o600, flag: 'wx' })
      await rename(unfinished, this.#file(key))
    } catch (error) {
      await rm(unfinished, { force: true })
      throw error
    }
    this.#note(key, file.length)
    for (const oldest of this.#sizes.keys()) {
      if (this.#bytes <= this.#mostBytes) break
      await this.#remove(oldest)
    }
  }

  /** Makes a key the last to go. */
  #note(key: string, size: number): void {
    this.#forget(key)
    this.#sizes.set(key, size)
    this.#bytes += size
  }

  #forget(key: string): void {
    this.#bytes -= this.#sizes.get(key) ?? 0
    this.#sizes.delete(key)
  }

  async #remove(key: string): Promise<void> {
    this.#forget(key)
    await rm(this.#file(key), { force: true })
  }

  #file(key: string): string {
    return join(this.#folder, key)
  }

  /** With the first use. After a failure the next one tries again. */
  #open(): Promise<void> {
    this.#opened ??= this.#read().catch((error) => {
      this.#opened = undefined
      throw error
    })
    return this.#opened
  }

  /** What an earlier process left: the oldest first. */
  async #read(): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    const names = await readdir(this.#folder)
    await Promise.all(
      names.filter((name) => name.endsWith('.tmp')).map((name) => rm(this.#file(name), { force: true })),
    )
    const files = await Promise.all(
      names.filter((name) => isKey.test(name)).map(async (key) => ({ key, ...(await stat(this.#file(key))) })),
    )
    for (const { key, size } of files.sort((a, b) => a.mtimeMs - b.mtimeMs)) this.#note(key, size)
  }
}

function hashOf(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest()
}

function undamaged(file: Buffer): Uint8Array | undefined {
  const picture = file.subarray(hashLength)
  return hashOf(picture).equals(file.subarray(0, hashLength)) ? picture : undefined
}
