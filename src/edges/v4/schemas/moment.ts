import { Type } from 'typebox'

/** A timestamp in a response (docs/api/README.md#timestamps). */
export function moment() {
  return Type.String({ description: 'UTC, as `YYYY-MM-DDThh:mm:ss+0000`' })
}
