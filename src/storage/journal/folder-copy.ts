/**
 * Copies the files of a journal into a second folder, behind the writer, in a thread that may wait for a slow disk. Only
 * complete rows are copied, and they are on the other disk when `step` returns. A file that the journal no longer has was
 * delivered, and is deleted. All of it is found out again from the files, after an error as after a restart.
 */
import {
  closeSync,
  existsSync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { OperatorError } from '../../lib/operator-error.js'
import { knownJournalId, newline, segmentsIn, syncFolder } from './segments.js'

const pieceBytes = 1024 * 1024

export class FolderCopy {
  readonly #from: string
  readonly #to: string
  #piece = Buffer.allocUnsafe(pieceBytes)
  #open: OpenFile | undefined

  constructor(from: string, to: string) {
    this.#from = from
    this.#to = to
  }

  /** Copies the rows that are there now. Throws if that is not possible; the next step begins again. */
  step(): void {
    try {
      this.#open ??= this.#begin()
      while (this.#open) {
        if (this.#copyRows()) continue
        const next = this.#next(this.#open.file)
        if (!next) return
        // Once a later file exists this one does not grow, but it may have grown since.
        while (this.#copyRows());
        this.close()
        this.#open = next
      }
    } catch (error) {
      this.close()
      throw error
    }
  }

  /** Deletes files that the journal has deleted. It has always one. */
  prune(): void {
    const [first] = segmentsIn(this.#from)
    if (!first) return
    for (const { file } of segmentsIn(this.#to)) if (basename(file) < basename(first.file)) rmSync(file)
  }

  close(): void {
    if (!this.#open) return
    closeSync(this.#open.from)
    closeSync(this.#open.to)
    this.#open = undefined
  }

  #begin(): OpenFile | undefined {
    const id = knownJournalId(this.#from)
    // Not the folder above it: on a machine whose volume is not mounted, nothing must be written.
    if (!existsSync(this.#to)) mkdirSync(this.#to, { mode: 0o700 })
    const copied = segmentsIn(this.#to).length > 0 ? knownJournalId(this.#to) : id
    if (id === undefined || copied !== id) {
      throw new OperatorError(
        `${this.#to} has the copy of another journal. Deliver it with "shortlink journal deliver", or choose another --journal-copy.`,
      )
    }
    writeFileSync(join(this.#to, 'id'), id, { flush: true })
    return this.#next('')
  }

  /** The first file after this one. The journal may delete files meanwhile. */
  #next(after: string): OpenFile | undefined {
    for (const { file } of segmentsIn(this.#from)) {
      const from = file > after ? openIfThere(file) : undefined
      if (from === undefined) continue
      try {
        const to = openSync(join(this.#to, basename(file)), 'a', 0o600)
        syncFolder(this.#to)
        const offset = Math.min(fstatSync(from).size, fstatSync(to).size)
        // What the journal lost in a crash of the machine was not delivered, and its row numbers are used again.
        ftruncateSync(to, offset)
        return { file, from, to, offset }
      } catch (error) {
        closeSync(from)
        throw error
      }
    }
    return undefined
  }

  /** Returns whether there were any. */
  #copyRows(): boolean {
    if (!this.#open) return false
    const { from, to, offset } = this.#open
    const read = readSync(from, this.#piece, 0, this.#piece.length, offset)
    const end = this.#piece.subarray(0, read).lastIndexOf(newline) + 1
    if (end === 0) {
      if (read < this.#piece.length) return false
      this.#piece = Buffer.allocUnsafe(2 * this.#piece.length)
      return true
    }
    for (let at = 0; at < end; ) at += writeSync(to, this.#piece, at, end - at)
    fdatasyncSync(to)
    this.#open.offset += end
    return true
  }
}

interface OpenFile {
  readonly file: string
  readonly from: number
  readonly to: number
  offset: number
}

function openIfThere(file: string): number | undefined {
  try {
    return openSync(file, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return undefined
  }
}
