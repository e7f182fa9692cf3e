/** A store of blobs whose errors tell the operator what to do. For commands and backups; users are told less. */
import type { Blobs } from '../../core/images/blobs.js'
import { Refusal } from '../../core/values/refusal.js'
import { OperatorError } from '../../lib/operator-error.js'
import { S3RefusedError } from '../blobs/s3-blobs.js'

/** `option`: the one with the URL. */
export function explainedBlobs(blobs: Blobs, option: 's3Url' | 'backupTo'): Blobs {
  const explain = (error: unknown): never => {
    throw explained(error, option)
  }
  return {
    put: (...args) => blobs.put(...args).catch(explain),
    get: (key) => blobs.get(key).catch(explain),
    remove: (key) => blobs.remove(key).catch(explain),
  }
}

/** The store does not work: this is not about what is in it. */
export class StoreError extends OperatorError {}

function explained(error: unknown, option: string): unknown {
  if (error instanceof S3RefusedError) return new StoreError(`${error.message} (${option}).${hintFor(error)}`)
  if (error instanceof Refusal)
    return new StoreError(`The S3 store (${option}) cannot be reached: ${reasonOf(error.cause)}. Try again later.`)
  return error
}

function hintFor({ status, code }: S3RefusedError): string {
  if (code === 'NoSuchBucket') return ' Create the bucket, or correct its name in the URL.'
  if (status !== 403 && !code.startsWith('Authorization')) return ''
  return ' Check the key, the secret and the region in the URL, and what the key may do.'
}

/** `fetch failed` has the reason in its cause. */
function reasonOf(error: unknown): string {
  const { message, cause } = error instanceof Error ? error : new Error(String(error))
  return cause instanceof Error ? `${message} (${cause.message || (cause as NodeJS.ErrnoException).code})` : message
}
