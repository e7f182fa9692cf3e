/** What an archive needs of a click log. test/archives/round-trip.test.ts tests it on both engines. */
export interface ClickArchive {
  /** The number of clicks in each quarter of an hour that has any, in order of time. */
  partitions(which: ArchivedClicks): Promise<readonly Partition[]>
  /**
   * Writes clicks as files, sorted by every column, so that equal clicks give equal bytes in every engine. Returns the
   * number of rows: totals of the same description are one row.
   */
  writeClicks(which: ClickRange, files: ClickFiles): Promise<number>
}

export interface ArchivedClicks {
  /** Undefined: the clicks of all groups, and those without a group. */
  readonly groups?: readonly string[] | undefined
  /** Only clicks before this time. */
  readonly before: number
}

/** Clicks from `from` on. */
export interface ClickRange extends ArchivedClicks {
  readonly from: number
}

/** The start and the clicks of a quarter of an hour. */
export type Partition = readonly [start: number, clicks: number]

/** Paths of the files; undefined: not written. */
export interface ClickFiles {
  readonly parquet?: string | undefined
  readonly ndjson?: string | undefined
}

/** A quarter of an hour in milliseconds: days and hours of every time zone start on one (Kathmandu: +05:45). */
export const partitionLength = 900_000
