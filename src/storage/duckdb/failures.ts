/**
 * Tells DuckDB's errors apart. Its driver offers neither codes nor classes, so their text has to do: every text that we read
 * stands in this file, and the engine is made to say each in failures.test.ts, click-log.test.ts (locked) and repair.test.ts.
 */

/** After it (the disk was full at a checkpoint, say) the engine refuses everything until the file is opened again. */
export function isFatal(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isFatal)
  return /FATAL Error|has been invalidated/.test(textOf(error))
}

/** Another process has the file open; its number, where the system tells it. */
export function isLocked(error: unknown): { readonly pid: string | undefined } | undefined {
  const text = textOf(error)
  return text.includes('Could not set lock') ? { pid: /\(PID (\d+)\)/.exec(text)?.[1] } : undefined
}

/** Where in the write-ahead log an entry begins that cannot be read: right behind its size and checksum. */
export function damagedEntryAt(text: string): number | undefined {
  const position = /entry at byte position (\d+)/.exec(text)?.[1]
  return position === undefined ? undefined : Number(position)
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
