import { oneOf, text } from '../../parts/search-params.js'

export interface CodesSearch {
  /** Words that are searched for. */
  readonly q?: string | undefined
  /** The archived codes, instead of the others. */
  readonly archived?: 'on' | undefined
  /** Which code is open in a dialog, by its id. */
  readonly edit?: string | undefined
  readonly embed?: string | undefined
}

export function readCodesSearch(raw: Record<string, unknown>): CodesSearch {
  return {
    q: text(raw.q),
    archived: oneOf(['on'] as const, raw.archived),
    edit: text(raw.edit),
    embed: text(raw.embed),
  }
}
