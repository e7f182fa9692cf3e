import { type TSchemaOptions, Type } from 'typebox'
import type { ShownAddress } from '../../../core/domains/domain-names.js'

/** The id of a short link in a response. The type accepts only ids formatted by `Domains.shown`. */
export function shownAddress(options: TSchemaOptions) {
  return Type.Unsafe<ShownAddress>(Type.String(options))
}
