import { type TSchemaOptions, Type } from 'typebox'
import type { ShownAddress } from '../../../core/domains/domain-names.js'

/** The id of a short link in an answer. Its type lets only addresses through that `Domains.shown` has written. */
export function shownAddress(options: TSchemaOptions) {
  return Type.Unsafe<ShownAddress>(Type.String(options))
}
