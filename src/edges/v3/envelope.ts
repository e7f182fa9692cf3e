/**
 * Response formats of v3: JSON, JSONP or XML with data, status_code and status_txt, always with HTTP 200; or plain
 * text with a real HTTP status (docs/api/v3.md#answers). Knows no operation.
 */
import type { Arguments } from './arguments.js'
import { Failure, invalidArgument, type Status } from './errors.js'
import { type Value, xmlOf } from './xml.js'

const formats = ['json', 'xml', 'txt'] as const

export interface Form {
  readonly format: (typeof formats)[number]
  /** The JSONP callback; set only for JSON. */
  readonly callback: string | undefined
}

export interface Encoded {
  readonly httpStatus: number
  readonly type: string
  readonly body: string
}

export const ok: Status = { code: 200, text: 'OK' }

export function formOf(args: Arguments): Form {
  const format = args.oneOf('format', formats) ?? 'json'
  const callback = args.text('callback')
  if (callback !== undefined && !isFunctionName(callback)) throw invalidArgument('callback')
  return { format, callback: format === 'json' ? callback : undefined }
}

/** The format for an error response: falls back to JSON if the format or callback argument itself is invalid. */
export function formForError(args: Arguments): Form {
  try {
    return formOf(args)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { format: 'json', callback: undefined }
  }
}

export function write(form: Form, status: Status, data: Value): Encoded {
  if (form.format === 'txt') return writeText(status)
  const envelope = { data, status_code: status.code, status_txt: status.text }
  if (form.format === 'xml') {
    return { httpStatus: 200, type: 'application/xml; charset=utf-8', body: xmlOf('response', envelope) }
  }
  const json = JSON.stringify(envelope)
  if (form.callback === undefined) return { httpStatus: 200, type: 'application/json; charset=utf-8', body: json }
  // Escape U+2028 and U+2029: valid in JSON, but line ends in JavaScript before ES2019.
  const script = json.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
  return { httpStatus: 200, type: 'application/javascript; charset=utf-8', body: `${form.callback}(${script})` }
}

/** Writes a plain text response. Undefined text means that this response has no text form. */
export function writeText(text: string | Status | undefined): Encoded {
  if (text === undefined) throw invalidArgument('format')
  const type = 'text/plain; charset=utf-8'
  return typeof text === 'string'
    ? { httpStatus: ok.code, type, body: text }
    : { httpStatus: text.code, type, body: text.text }
}

/** Allows dotted identifiers such as `jQuery.cb_17`, and nothing that could run as script. */
function isFunctionName(text: string): boolean {
  return text.length <= 128 && /^[A-Za-z_$][\w$]*(\.[A-Za-z_$][\w$]*)*$/.test(text)
}
