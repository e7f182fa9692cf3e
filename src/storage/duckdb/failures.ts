/**
 * Classifies DuckDB errors. The driver has neither error codes nor classes, so this file matches the texts;
 * failures.test.ts, click-log.test.ts (locked) and repair.test.ts provoke each of them in a real DuckDB.
 */

/** A fatal error (such as a full disk during a checkpoint): DuckDB refuses everything until the file is reopened. */
export function isFatal(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isFatal)
  return /FATAL Error|has been invalidated/.test(textOf(error))
}

/** Another process has the file open; `pid` where the system reports it. */
export function isLocked(error: unknown): { readonly pid: string | undefined } | undefined {
  const text = textOf(error)
  return text.includes('Could not set lock') ? { pid: /\(PID (\d+)\)/.exec(text)?.[1] } : undefined
}

/** The user of this process may not open the file or its write-ahead log. */
export function isForbidden(error: unknown): boolean {
  return /Permission denied|Operation not permitted/.test(textOf(error))
}

/** Offset of the first unreadable entry in the write-ahead log, just after its size and checksum. */
export function damagedEntryAt(text: string): number | undefined {
  const position = /entry at byte position (\d+)/.exec(text)?.[1]
  return position === undefined ? undefined : Number(position)
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
