/** Bodies that are a CSV file. */
import { hash } from 'node:crypto'
import type { TypedFastify } from './typed-fastify.js'

export const csvType = 'text/csv'

export class CsvBody {
  readonly bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }

  /** Two requests have the same body if this is the same (`Idempotency-Key`). */
  toJSON(): string {
    return hash('sha256', this.bytes, 'base64url')
  }
}

export function readCsvBodies(http: TypedFastify): void {
  http.addContentTypeParser(
    csvType,
    { parseAs: 'buffer' },
    async (_request: unknown, bytes: Buffer) => new CsvBody(bytes),
  )
}
