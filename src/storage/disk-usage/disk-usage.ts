/** How much disk the stores of a data directory take, and how much is free. */
import { readdir, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'

/** Bytes by store; undefined where the file system cannot tell what is free. */
export type DiskUsage = () => Promise<{
  readonly stores: Readonly<Record<string, number>>
  readonly free: number | undefined
}>

/** Which store a file or folder of the data directory belongs to, by the beginning of its name. */
const beginnings: Readonly<Record<string, string>> = {
  'records.sqlite': 'records',
  'clicks.duckdb': 'clicks',
  journal: 'journal',
  images: 'images',
  'qr-images': 'qr_images',
  'stream.sqlite': 'stream',
}

export function diskUsageOf(dataDir: string): DiskUsage {
  return async () => {
    const stores: Record<string, number> = Object.fromEntries(Object.values(beginnings).map((store) => [store, 0]))
    stores.other = 0
    for (const name of await readdir(dataDir)) {
      const [, store = 'other'] = Object.entries(beginnings).find(([beginning]) => name.startsWith(beginning)) ?? []
      stores[store] = (stores[store] ?? 0) + (await bytesOf(join(dataDir, name)))
    }
    const disk = await statfs(dataDir).catch(() => undefined)
    return { stores, free: disk && disk.bavail * disk.bsize }
  }
}

/** Of a file, or of all files in a folder. What vanishes meanwhile counts nothing. */
async function bytesOf(path: string): Promise<number> {
  const found = await stat(path).catch(() => undefined)
  if (!found?.isDirectory()) return found?.size ?? 0
  let bytes = 0
  for (const name of await readdir(path).catch(() => [])) bytes += await bytesOf(join(path, name))
  return bytes
}
