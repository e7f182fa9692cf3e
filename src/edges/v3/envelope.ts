/**
 * Response formats of v3: JSON, JSONP or XML with data, status_code and status_txt, always with HTTP 200; or plain
 * text with a real HTTP status (docs/api/v3.md#answers). Knows no operation.
 */
import type { Arguments } from './arguments.js'
import { Failure, invalidArgument, type Status } from './errors.js'

export const formats = ['json', 'xml', 'txt'] as const

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

/** Converts plain data to XML. A list is one element with an `entry` per item, so that it can be empty. */
export type Value =
  | string
  | number
  | boolean
  | null
  | undefined
  | ByName
  | readonly Value[]
  | { readonly [name: string]: Value }

/** A map with arbitrary keys, such as domains: an object in JSON, entries with a name attribute in XML. */
export class ByName {
  constructor(readonly values: ReadonlyMap<string, Value>) {}

  toJSON(): object {
    return Object.fromEntries(this.values)
  }
}

function xmlOf(root: string, value: Value): string {
  return `<?xml version="1.0" encoding="utf-8"?>\n${element(root, value)}\n`
}

function element(name: string, value: Value, attribute = ''): string {
  return `<${name}${attribute}>${contents(value)}</${name}>`
}

function contents(value: Value): string {
  if (value === null || value === undefined) return ''
  if (value instanceof ByName) {
    return [...value.values].map(([name, each]) => element('entry', each, ` name="${escaped(name)}"`)).join('')
  }
  if (isList(value)) return value.map((each) => element('entry', each)).join('')
  if (typeof value !== 'object') return escaped(String(value))
  return Object.entries(value)
    .filter(([, each]) => each !== undefined)
    .map(([name, each]) => element(name, each))
    .join('')
}

function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value)
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

function escaped(text: string): string {
  // XML 1.0 cannot represent control characters, lone surrogates, U+FFFE and U+FFFF.
  return text
    .replace(/[^\t\n\r\u0020-\ufffd\u{10000}-\u{10ffff}]|\p{Cs}/gu, '\ufffd')
    .replace(/[&<>"]/g, (sign) => entities[sign] ?? sign)
}
