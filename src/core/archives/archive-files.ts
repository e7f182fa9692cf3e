/** The folder of an archive: one that is being written, and one that is read back. */

/** A file of an archive, as its manifest lists it. */
export interface ArchivedFile {
  /** Relative to the folder, with slashes. */
  readonly path: string
  /** Undefined for a file without rows. */
  readonly rows?: number
  readonly bytes: number
  readonly sha256: string
}

export interface Manifest {
  readonly format: 'shortlink archive'
  /** Of the format; raised when a reader of this version could not read it. */
  readonly version: 1
  /** The program that wrote it. */
  readonly program: string
  /** The newest migration of its database. */
  readonly schema: string
  /** The only line that differs between two exports of the same data. */
  readonly exported_at: string
  /** Null: everything. */
  readonly organization: string | null
  readonly secrets: boolean
  /** Rows of each table, and clicks (totals counted as the clicks they stand for). */
  readonly counts: Readonly<Record<string, number>>
  readonly files: readonly ArchivedFile[]
}

/** A folder that gets its final name when it is complete. */
export interface NewArchive {
  /** The path of a file, for those who write it themselves. */
  pathOf(name: string): string
  create(name: string): Promise<NewFile>
  /** A file that somebody else wrote. */
  describe(name: string, rows?: number): Promise<ArchivedFile>
  finish(manifest: Manifest): Promise<void>
}

export interface NewFile {
  write(text: string | Uint8Array): Promise<void>
  /** After the last write. */
  close(rows?: number): Promise<ArchivedFile>
}

/** An archive whose manifest was read. */
export interface Archive {
  readonly manifest: Manifest
  pathOf(name: string): string
  /** The lines of an NDJSON file, in pages. */
  lines(name: string): AsyncIterable<readonly string[]>
  bytes(name: string): Promise<Uint8Array>
  /** Throws an OperatorError when the file is missing or differs from the manifest. */
  verify(file: ArchivedFile): Promise<void>
}
