/** The fields of a link that are one value each (core/links/link-fields.ts) in v4's words: sent in requests, and shown. */
import { type Static, type TObject, Type } from 'typebox'
import type { LinkInput, LinkValues } from '../../../core/links/link-fields.js'
import { timestamp } from '../../../core/values/time.js'
import { emptyRemoves } from '../../http/validation.js'
import { noteBounds, timestampOrNoneBounds, titleBounds } from './bounds.js'
import { moment } from './fields.js'

export const sentLinkFields = {
  title: Type.Optional(Type.String({ ...emptyRemoves, ...titleBounds, description: 'At most 2048 characters' })),
  expiration_at: Type.Optional(
    Type.String({
      ...emptyRemoves,
      ...timestampOrNoneBounds,
      description: '`YYYY-MM-DDThh:mm:ss±hhmm`, five minutes to one year in the future',
    }),
  ),
  note: Type.Optional(
    Type.String({
      ...emptyRemoves,
      ...noteBounds,
      description: 'For the members of the group; at most 2048 characters',
    }),
  ),
  private: Type.Optional(
    Type.Boolean({
      description:
        'Hide title and creator outside the group in the legacy API. A new link is private by default if your `default_link_privacy` is',
    }),
  ),
  forward_query: Type.Optional(
    Type.Boolean({ description: 'Append the query of each visit to the destination; by default it is dropped' }),
  ),
}

type SentLinkFields = Static<TObject<typeof sentLinkFields>>

export function linkInputFrom(sent: SentLinkFields): LinkInput {
  return {
    title: sent.title,
    expiresAt: sent.expiration_at,
    note: sent.note,
    private: sent.private,
    forwardQuery: sent.forward_query,
  }
}

/** `title`, `expiration_at` and `note` are absent when empty. */
export const shownLinkFields = {
  title: Type.Optional(Type.String()),
  expiration_at: Type.Optional(moment()),
  note: Type.Optional(Type.String({ description: 'For the members of the group' })),
  private: Type.Boolean({ description: 'Whether the legacy API hides its title and creator outside its group' }),
  forward_query: Type.Boolean({ description: 'Whether the query of a visit is appended to the destination' }),
}

export function presentLinkFields(link: LinkValues): Static<TObject<typeof shownLinkFields>> {
  return {
    ...(link.title !== undefined && { title: link.title }),
    ...(link.note !== undefined && { note: link.note }),
    private: link.private,
    forward_query: link.forwardQuery,
    ...(link.expiresAt !== undefined && { expiration_at: timestamp(link.expiresAt) }),
  }
}
