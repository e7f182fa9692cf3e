import { join } from 'node:path'

/** Separate from open-records.ts, which loads the engines: commands only check whether the file exists. */
export function recordsFile(dataDir: string): string {
  return join(dataDir, 'records.sqlite')
}
