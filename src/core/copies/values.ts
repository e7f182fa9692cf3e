/** How a value of a record is written in an archive: times as ISO 8601, flags as booleans, JSON as JSON. */
import { OperatorError } from '../../lib/operator-error.js'

export interface ArchiveColumn {
  readonly name: string
  readonly kind: 'text' | 'number' | 'time' | 'flag' | 'json'
  /** One sentence for the README. */
  readonly about: string
}

/** A value as the database stores it. */
export type StoredValue = string | number | null
export type StoredRow = Readonly<Record<string, StoredValue>>

export function toArchive({ kind }: ArchiveColumn, value: StoredValue): unknown {
  if (value === null) return null
  if (kind === 'time') return isoTime(Number(value))
  if (kind === 'flag') return value !== 0
  if (kind === 'json') return JSON.parse(String(value)) as unknown
  return value
}

export function fromArchive({ name, kind }: ArchiveColumn, value: unknown): StoredValue {
  if (value === null || value === undefined) return null
  if (kind === 'json') return JSON.stringify(value)
  if (kind === 'flag' && typeof value === 'boolean') return value ? 1 : 0
  if (kind === 'time' && typeof value === 'string' && !Number.isNaN(Date.parse(value))) return Date.parse(value)
  if ((kind === 'number' || kind === 'time') && typeof value === 'number') return value
  if (kind === 'text' && typeof value === 'string') return value
  throw new OperatorError(`"${name}" is ${JSON.stringify(value)}, which is not a ${kind}.`)
}

/** For a cell of CSV. */
export function toCell(column: ArchiveColumn, value: StoredValue): string | number {
  const archived = toArchive(column, value)
  if (archived === null) return ''
  if (typeof archived === 'number' || typeof archived === 'string') return archived
  return JSON.stringify(archived)
}

/** A number that no date can express is written as it is. */
function isoTime(at: number): string | number {
  const date = new Date(at)
  return Number.isNaN(date.getTime()) ? at : date.toISOString()
}
