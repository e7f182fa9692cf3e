/**
 * Advice for the operator when the machine is at fault: disk full, read-only file system, damaged records, too many open files.
 * Undefined for other errors. Also checks the causes of an error.
 */
export function environmentFault(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const found = faults.find(({ signs }) =>
    signs.test(`${(error as NodeJS.ErrnoException).code ?? ''} ${error.message}`),
  )
  if (found) return `${found.remedy} (${error.message.split('\n')[0]})`
  const behind = error instanceof AggregateError ? error.errors : [error.cause]
  for (const each of behind) {
    const fault = environmentFault(each)
    if (fault !== undefined) return fault
  }
  return undefined
}

/** Also when it is the disk of another place than the data directory. */
export function isDiskFull(error: unknown): boolean {
  return environmentFault(error)?.startsWith(diskFull) === true
}

const diskFull = 'The disk is full.'

/** Matches the error codes of the system and of SQLite, and the messages of DuckDB. */
const faults: readonly { readonly signs: RegExp; readonly remedy: string }[] = [
  {
    signs: /\b(ENOSPC|EDQUOT|SQLITE_FULL)\b|No space left on device|database or disk is full/,
    remedy: `${diskFull} Free some space, or choose a data directory on another disk with --data-dir.`,
  },
  {
    signs: /\b(EROFS|SQLITE_READONLY\w*)\b|Read-only file system|readonly database/,
    remedy: 'The file system is read-only. Make it writable, or choose another data directory with --data-dir.',
  },
  {
    signs: /\bSQLITE_(CORRUPT|NOTADB)|database disk image is malformed|file is not a database/,
    remedy: 'A database file is damaged. "shortlink doctor" names the backup to restore.',
  },
  {
    signs: /\b(EMFILE|ENFILE)\b|too many open files/i,
    remedy: 'Too many files are open at once. Raise the limit: "ulimit -n 65536" in a shell, LimitNOFILE= for systemd.',
  },
  {
    signs: /\b(EIO|SQLITE_IOERR\w*)\b/,
    remedy: 'The disk reports I/O errors. Check the system log and the disk before the next start.',
  },
]
