import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Without a name as soon as it is open, so that nothing has to be cleaned up; where the system allows that. */
export async function temporaryFile(): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpdir(), 'shortlink-table-'))
  const file = await open(join(folder, 'table'), 'wx+', 0o600)
  await rm(folder, { recursive: true }).catch(() => {})
  return file
}
