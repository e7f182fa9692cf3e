/** Reads bodies that are a file, or a form with a file. */
import { isUtf8 } from 'node:buffer'
import type { FastifyRequest } from 'fastify'
import { Refusal } from '../../core/values/refusal.js'
import { type Part, readMultipart } from './multipart.js'
import type { TypedFastify } from './typed-fastify.js'
import { mediaTypeOf } from './validation.js'

export const formData = 'multipart/form-data'

export interface UploadedFile {
  readonly bytes: Uint8Array
  /** As declared; undefined where the sender does not know it. */
  readonly type: string | undefined
}

/** What such a body becomes. Fields of a form that are no text are kept for the schema to refuse. */
export interface Upload {
  readonly file?: UploadedFile
  readonly group_guid?: string
  readonly name?: string
}

/** For routes whose body may have one of these types, or be a form. */
export function readImageBodies(http: TypedFastify, types: readonly string[]): void {
  http.addContentTypeParser([...types], { parseAs: 'buffer' }, async (request: FastifyRequest, bytes: Buffer) => ({
    file: { bytes, type: mediaTypeOf(request.headers['content-type']) },
  }))
  http.addContentTypeParser(formData, { parseAs: 'buffer' }, async (request: FastifyRequest, bytes: Buffer) => {
    const parts = readMultipart(bytes, request.headers['content-type'] ?? '')
    if (!parts?.every((part) => part.isFile || isUtf8(part.bytes))) {
      throw new Refusal('UNPROCESSABLE_ENTITY', 'The body is not a valid form, or has more than 20 parts.')
    }
    const files = parts.filter(({ name }) => name === 'file')
    const fields = parts.filter(({ name, bytes: { length } }) => name !== 'file' && length > 0)
    const [file] = files
    // Text, and a second file, are no file.
    const isFile = file?.isFile && files.length === 1
    return { ...Object.fromEntries(fields.map(fieldFrom)), ...(isFile && { file: fileFrom(file) }) }
  })
}

function fieldFrom({ name, isFile, bytes }: Part): readonly [string, unknown] {
  return [name, isFile ? bytes : Buffer.from(bytes).toString('utf8')]
}

function fileFrom({ bytes, type }: Part): UploadedFile {
  const mediaType = mediaTypeOf(type)
  // Programs send this for files whose type they do not know.
  const isUnknown = mediaType === '' || mediaType === 'application/octet-stream'
  return { bytes, type: isUnknown ? undefined : mediaType }
}
