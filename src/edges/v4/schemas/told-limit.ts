import { Type } from 'typebox'

/**
 * What stands in `limit` where there is none. Clients subtract what was used from it and stop at zero, so that it is a
 * number nobody reaches in a month, and one that fits into 32 bits (docs/api/limits.md#no-limit).
 */
const noLimit = 2_000_000_000

/** The fields by which every answer tells a limit. */
export const toldLimitFields = {
  limit: Type.Integer({ description: `${noLimit} where there is none` }),
  unlimited: Type.Boolean({ description: 'True where there is no limit' }),
}

export function toldLimit(limit: number | undefined) {
  return { limit: limit ?? noLimit, unlimited: limit === undefined }
}
