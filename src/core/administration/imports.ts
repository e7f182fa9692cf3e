import type { ImportProgress, Imports } from '../clicks/imports.js'
import { Refusal } from '../values/refusal.js'

export interface ImportAdministrationDeps {
  /** Only a running service has them: a command on a stopped one imports by itself. */
  readonly imports?: Imports
}

/** Starts to import a file that the service can read, or joins the import of this file. */
export async function startImport(deps: ImportAdministrationDeps, input: { file: string }): Promise<ImportProgress> {
  return importsOf(deps).start(input.file)
}

export async function importProgress(deps: ImportAdministrationDeps): Promise<ImportProgress> {
  return importsOf(deps).progress()
}

function importsOf({ imports }: ImportAdministrationDeps): Imports {
  if (imports) return imports
  throw new Refusal('TEMPORARILY_UNAVAILABLE', 'Imports run in the service. Start it first.')
}
