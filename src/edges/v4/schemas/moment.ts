import { Type } from 'typebox'

/** A time in an answer (gaps 2.1). */
export function moment() {
  return Type.String({ description: 'UTC, shaped `YYYY-MM-DDThh:mm:ss+0000`' })
}
