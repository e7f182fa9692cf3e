import { Type } from 'typebox'

/**
 * The value of `limit` if there is no limit. Clients subtract the usage from it and stop at zero, so it must be a
 * number that nobody reaches in a month and that fits into 32 bits (docs/api/limits.md#no-limit).
 */
const noLimit = 2_000_000_000

/** The fields that describe a limit in a response. */
export const toldLimitFields = {
  limit: Type.Integer({ description: `${noLimit} if there is no limit` }),
  unlimited: Type.Boolean({ description: 'True if there is no limit' }),
}

export function toldLimit(limit: number | undefined) {
  return { limit: limit ?? noLimit, unlimited: limit === undefined }
}
