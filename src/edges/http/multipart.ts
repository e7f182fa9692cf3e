/**
 * Reads multipart/form-data (RFC 7578) that is in memory. `Response.formData()` of Node reads it too, but takes a second for
 * five megabytes of headers, in which nobody is redirected; here headers and parts are bounded, and the rest is a search.
 */
export interface Part {
  readonly name: string
  readonly isFile: boolean
  /** As declared. */
  readonly type: string | undefined
  readonly bytes: Uint8Array
}

const maxParts = 20
const maxHeaders = 8 * 1024

/** Undefined when it is no such form, or has more than 20 parts. */
export function readMultipart(body: Buffer, contentType: string): readonly Part[] | undefined {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"\r\n]{1,100})"|([^\s;"]{1,100}))\s*(?:;|$)/i.exec(contentType) ?? []
  const boundary = quoted ?? plain
  if (boundary === undefined) return undefined
  const delimiter = Buffer.from(`\r\n--${boundary}`)
  const first = body.indexOf(delimiter.subarray(2))
  if (first !== 0 && body.indexOf(delimiter) !== first - 2) return undefined

  const parts: Part[] = []
  for (let at = first + delimiter.length - 2; ; ) {
    if (body.toString('latin1', at, at + 2) === '--') return parts
    const [padding] = /^[ \t]*\r\n/.exec(body.toString('latin1', at, at + 100)) ?? []
    if (padding === undefined || parts.length === maxParts) return undefined
    const start = at + padding.length
    const blank = body.subarray(start, start + maxHeaders).indexOf('\r\n\r\n')
    const end = blank < 0 ? -1 : body.indexOf(delimiter, start + blank + 2)
    const part = end < 0 ? undefined : partFrom(body.toString('utf8', start, start + blank))
    if (!part) return undefined
    parts.push({ ...part, bytes: body.subarray(start + blank + 4, end) })
    at = end + delimiter.length
  }
}

function partFrom(headers: string): Omit<Part, 'bytes'> | undefined {
  const disposition = /^content-disposition:\s*form-data\s*;(.*)$/im.exec(headers)?.[1] ?? ''
  const [, quoted, plain] = /(?:^|;)\s*name=(?:"([^"]*)"|([^\s;"]+))/i.exec(disposition) ?? []
  const name = quoted ?? plain
  if (name === undefined) return undefined
  const type = /^content-type:(.*)$/im.exec(headers)?.[1]?.trim()
  return { name, type, isFile: /;\s*filename\*?=/i.test(disposition) }
}
