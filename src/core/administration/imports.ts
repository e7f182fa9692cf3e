import type { ImportProgress, Imports } from '../clicks/imports.js'
import { Refusal } from '../refusal.js'

export interface ImportAdministrationParts {
  /** Only a running service has them: a command on a stopped one imports by itself. */
  readonly imports?: Imports
}

/** Starts to import a file that the service can read, or joins the import of this file. */
export async function startImport(parts: ImportAdministrationParts, wish: { file: string }): Promise<ImportProgress> {
  return importsOf(parts).start(wish.file)
}

export async function importProgress(parts: ImportAdministrationParts): Promise<ImportProgress> {
  return importsOf(parts).progress()
}

function importsOf({ imports }: ImportAdministrationParts): Imports {
  if (imports) return imports
  throw new Refusal('TEMPORARILY_UNAVAILABLE', 'Imports run in the service. Start it first.')
}
