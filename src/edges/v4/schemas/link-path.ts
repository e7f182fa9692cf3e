import { Type } from 'typebox'

/** The id of a short link is two path segments; `%2F` between them works too. */
export const LinkPath = Type.Object({
  domain: Type.String({ description: 'Domain of the short link' }),
  hash: Type.String({ description: 'Hash or custom back-half; case-sensitive' }),
})
