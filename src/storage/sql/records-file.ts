import { join } from 'node:path'

/** Apart from open-records.ts, which brings the engines along: commands only look whether it is there. */
export function recordsFile(dataDir: string): string {
  return join(dataDir, 'records.sqlite')
}
