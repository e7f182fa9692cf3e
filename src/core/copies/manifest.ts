/** What a copy says of itself. Each format is described once: for the types, and to check what is read. */
import { type Static, Type } from 'typebox'

const CopiedFileSchema = Type.Object({
  // In the copy. Only names that a copy has: nothing outside of it is read.
  path: Type.String({ pattern: '^(README\\.md|secrets\\.json|(records|clicks|files|images)/\\w[\\w.-]*)$' }),
  // Missing for a file without rows.
  rows: Type.Optional(Type.Integer({ minimum: 0 })),
  bytes: Type.Integer({ minimum: 0 }),
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  // Of the rows; the next backup copies the file again only if it differs.
  fingerprint: Type.Optional(Type.String()),
  // The backup that the file was taken from without copying it. Here it is complete all the same.
  reused_from: Type.Optional(Type.String()),
})

const anyManifest = {
  // Of the format; raised when a reader of this version could not read it.
  version: Type.Literal(1),
  // What wrote it, and the newest migration of its database.
  program: Type.String(),
  schema: Type.String(),
  files: Type.Array(CopiedFileSchema),
}

export const ArchiveSchema = Type.Object({
  ...anyManifest,
  format: Type.Literal('shortlink archive'),
  // The only line that differs between two exports of the same data.
  exported_at: Type.String(),
  // Null: everything.
  organization: Type.Union([Type.String(), Type.Null()]),
  secrets: Type.Boolean(),
  // Rows of each table, and clicks (totals counted as the clicks they stand for).
  counts: Type.Record(Type.String(), Type.Integer()),
})

export const BackupSchema = Type.Object({
  ...anyManifest,
  format: Type.Literal('shortlink backup'),
  started_at: Type.String(),
  finished_at: Type.String(),
  engines: Type.Object({
    records: Type.Union([Type.Literal('sqlite'), Type.Literal('postgres')]),
    clicks: Type.Union([Type.Literal('duckdb'), Type.Literal('clickhouse')]),
  }),
  secrets: Type.Union([Type.Literal('encrypted'), Type.Literal('left out')]),
  // Totals counted as the clicks they stand for.
  counts: Type.Object({
    links: Type.Integer(),
    users: Type.Integer(),
    images: Type.Integer(),
    clicks: Type.Integer(),
  }),
  // Groups of clicks that were counted, but not yet published to the stream. Only the journal has them.
  unpublished: Type.Integer(),
  // Those that the records name and the store did not have.
  missing_images: Type.Array(Type.String()),
  // SHA-256 of everything above as JSON; former versions wrote none.
  checksum: Type.Optional(Type.String()),
})

/** A file of a copy. */
export type CopiedFile = Static<typeof CopiedFileSchema>
export type ArchiveManifest = Static<typeof ArchiveSchema>
export type BackupManifest = Static<typeof BackupSchema>
export type Manifest = ArchiveManifest | BackupManifest
