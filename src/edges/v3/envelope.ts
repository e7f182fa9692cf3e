/**
 * What leaves v3: an envelope of data, status_code and status_txt as JSON, JSONP or XML, always with HTTP 200; or bare
 * text with a real HTTP status (docs/api/v3.md#answers). It knows no operation.
 */
import type { Arguments } from './arguments.js'
import { Failure, invalidArgument, type Status } from './errors.js'
import { type Value, xmlOf } from './xml.js'

const formats = ['json', 'xml', 'txt'] as const

export interface Form {
  readonly format: (typeof formats)[number]
  /** The function that JSON is handed to; only with JSON. */
  readonly callback: string | undefined
}

export interface Written {
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

/** For an error: whatever can be made of the arguments. Where the form itself is at fault, plain JSON. */
export function formAnyhow(args: Arguments): Form {
  try {
    return formOf(args)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { format: 'json', callback: undefined }
  }
}

export function write(form: Form, status: Status, data: Value): Written {
  if (form.format === 'txt') return writeText(status)
  const envelope = { data, status_code: status.code, status_txt: status.text }
  if (form.format === 'xml') {
    return { httpStatus: 200, type: 'application/xml; charset=utf-8', body: xmlOf('response', envelope) }
  }
  const json = JSON.stringify(envelope)
  if (form.callback === undefined) return { httpStatus: 200, type: 'application/json; charset=utf-8', body: json }
  // Two characters that JSON allows and older JavaScript takes for the end of a line.
  const script = json.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
  return { httpStatus: 200, type: 'application/javascript; charset=utf-8', body: `${form.callback}(${script})` }
}

/** The bare value, or the word of a status; undefined where there is no such form of an answer. */
export function writeText(text: string | Status | undefined): Written {
  if (text === undefined) throw invalidArgument('format')
  const type = 'text/plain; charset=utf-8'
  return typeof text === 'string'
    ? { httpStatus: ok.code, type, body: text }
    : { httpStatus: text.code, type, body: text.text }
}

/** Our choice: names, and names within names, such as `jQuery.cb_17`; nothing that could be script by itself. */
function isFunctionName(text: string): boolean {
  return text.length <= 128 && /^[A-Za-z_$][\w$]*(\.[A-Za-z_$][\w$]*)*$/.test(text)
}
