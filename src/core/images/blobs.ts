/**
 * Stores bytes under keys: files in the data directory, or objects of an S3-compatible store. A key is written once and
 * never with other bytes. The behaviour is defined in blobs.contract.ts.
 */
export interface Blobs {
  /** Resolves when the bytes survive a crash of the process. */
  put(key: string, bytes: Uint8Array, mimeType: string): Promise<void>
  /** Undefined when there are none. */
  get(key: string): Promise<Uint8Array | undefined>
  /** Also succeeds when there are none. */
  remove(key: string): Promise<void>
}

/** What a key may look like: `<sha256>-<random>`. */
export const blobKeyShape = /^[0-9a-f]{64}-[0-9A-Za-z]{10}$/
