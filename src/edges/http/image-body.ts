/** Reads bodies that are a file, or a form with a file (multipart/form-data). */
import type { FastifyRequest } from 'fastify'
import { Refusal } from '../../core/values/refusal.js'
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
    const form = await readForm(bytes, request.headers['content-type'] ?? '')
    const fields = [...form].filter(([name, value]) => name !== 'file' && value !== '')
    const [file, ...others] = form.getAll('file')
    // Text, and a second file, are no file.
    const isFile = file instanceof File && others.length === 0
    return { ...Object.fromEntries(fields), ...(isFile && { file: await fileFrom(file) }) }
  })
}

/** Parts are counted before they are read: a hundred thousand empty ones fit into a body. */
async function readForm(bytes: Buffer, contentType: string): Promise<FormData> {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]+)"|([^\s;"]+))/i.exec(contentType) ?? []
  const boundary = `--${quoted ?? plain ?? ''}`
  let parts = 0
  for (let at = bytes.indexOf(boundary); at >= 0 && parts <= maxParts; at = bytes.indexOf(boundary, at + 1)) parts += 1
  try {
    if (parts > maxParts) throw new Error('too many parts')
    return await new Response(bytes, { headers: { 'content-type': contentType } }).formData()
  } catch {
    throw new Refusal('UNPROCESSABLE_ENTITY', `The body is not valid ${formData}, or has more than ${maxParts} parts.`)
  }
}

const maxParts = 20

async function fileFrom(file: File): Promise<UploadedFile> {
  const type = mediaTypeOf(file.type)
  // Programs send this for files whose type they do not know.
  const isUnknown = type === '' || type === 'application/octet-stream'
  return { bytes: new Uint8Array(await file.arrayBuffer()), type: isUnknown ? undefined : type }
}
