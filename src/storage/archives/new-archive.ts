/** Writes the folder of an archive. */
import type { NewArchive } from '../../core/archives/archive-files.js'
import { newFolder, type UnfinishedFolder } from './unfinished-folder.js'

export type UnfinishedArchive = NewArchive & Pick<UnfinishedFolder, 'discard'>

/** `directory` must be empty or missing. */
export function newArchive(directory: string): Promise<UnfinishedArchive> {
  return newFolder(directory, { what: 'export', rooms: ['records', 'images', 'clicks'], files: ['README.md'] })
}
