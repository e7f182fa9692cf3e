import { Type } from 'typebox'

/** A short link's id is two segments of a path; `%2F` between them is understood too. */
export const LinkPath = Type.Object({
  domain: Type.String({ description: 'Domain of the short link' }),
  hash: Type.String({ description: 'Hash or custom back-half; upper and lower case are different links' }),
})
