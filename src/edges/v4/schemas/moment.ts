import { Type } from 'typebox'

/** A time in an answer (docs/api/README.md#timestamps). */
export function moment() {
  return Type.String({ description: 'UTC, shaped `YYYY-MM-DDThh:mm:ss+0000`' })
}
