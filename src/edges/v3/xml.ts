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

export function xmlOf(root: string, value: Value): string {
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
