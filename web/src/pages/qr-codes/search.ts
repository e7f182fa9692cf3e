import { text } from '../../parts/search-params.js'

/** Which code is open in a dialog, by its id. */
export interface CodesSearch {
  readonly edit?: string | undefined
  readonly embed?: string | undefined
}

export function readCodesSearch(raw: Record<string, unknown>): CodesSearch {
  return { edit: text(raw.edit), embed: text(raw.embed) }
}
