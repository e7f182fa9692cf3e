import { invalid, type Resource } from './refusal.js'

/** A place in a list that is ordered by time and then by id. */
export interface CursorPosition {
  readonly at: number
  readonly id: string
}

export function cursorOf({ at, id }: CursorPosition): string {
  return Buffer.from(`${at} ${id}`).toString('base64url')
}

/** Any position is accepted, also that of an entry that was deleted; other texts are refused. */
export function positionIn(cursor: string, resource?: Resource): CursorPosition {
  const text = Buffer.from(cursor, 'base64url').toString()
  // Ids are guids, tags, or addresses of links, whose back-halves may be of any script: twelve bytes a character.
  const [, at, id] = /^(\d{1,15}) ([^\p{Cc}\p{Cs}\p{Z}]{1,600})$/u.exec(text) ?? []
  const position = at === undefined || id === undefined ? undefined : { at: Number(at), id }
  if (!position || cursorOf(position) !== cursor) {
    const message = 'Send search_after exactly as the previous page returned it, or leave it out for the first page.'
    throw invalid('searchAfter', message, resource)
  }
  return position
}
