/**
 * Splits XML into tags and texts, piece by piece: as much as worksheets need. Document types, and so entities of one's own,
 * are refused. Memory holds one tag or text, whose length is bounded.
 */
import { TableError } from '../../core/values/table.js'

export type XmlPart =
  | { readonly kind: 'open'; readonly name: string; readonly attributes: string; readonly isEmpty: boolean }
  | { readonly kind: 'close'; readonly name: string }
  | { readonly kind: 'text'; readonly text: string }

export class XmlScan {
  readonly #maxLength: number
  #rest = ''
  /** Open elements. */
  #depth = 0

  /** `maxLength`: characters of a tag or text. */
  constructor(maxLength: number) {
    this.#maxLength = maxLength
  }

  *add(piece: string): Generator<XmlPart> {
    const xml = this.#rest + piece
    let at = 0
    for (;;) {
      const begin = xml.indexOf('<', at)
      if (begin < 0) break
      const end = endOfMarkup(xml, begin)
      if (end < 0) break
      if (begin > at) yield { kind: 'text', text: decoded(xml.slice(at, begin)) }
      const part = markup(xml.slice(begin, end))
      if (part?.kind === 'close') this.#depth -= 1
      else if (part?.kind === 'open' && !part.isEmpty) this.#depth += 1
      if (part) yield part
      at = end
    }
    this.#rest = xml.slice(at)
    if (this.#rest.length > this.#maxLength) throw new TableError('A cell of the workbook is too long. Shorten it.')
  }

  /** After the last piece. */
  end(): void {
    if (this.#depth === 0 && this.#rest.trim() === '') return
    throw new TableError('The workbook is damaged: a part of it has no end. Save it again as XLSX or CSV.')
  }
}

/** Behind its last character; negative while it is incomplete. */
function endOfMarkup(xml: string, begin: number): number {
  const after = (mark: string) => {
    const at = xml.indexOf(mark, begin)
    return at < 0 ? -1 : at + mark.length
  }
  if (xml.startsWith('<!--', begin)) return after('-->')
  if (xml.startsWith('<![CDATA[', begin)) return after(']]>')
  // It may still become one of the above.
  if (xml.length - begin < '<![CDATA['.length && '<![CDATA['.startsWith(xml.slice(begin))) return -1
  if (xml.startsWith('<?', begin)) return after('?>')
  // A value in quotes may contain ">".
  let quote = 0
  for (let at = begin + 1; at < xml.length; at += 1) {
    const sign = xml.charCodeAt(at)
    if (quote !== 0) {
      if (sign === quote) quote = 0
    } else if (sign === 0x22 || sign === 0x27) quote = sign
    else if (sign === 0x3e) return at + 1
  }
  return -1
}

function markup(tag: string): XmlPart | undefined {
  if (tag.startsWith('<?') || tag.startsWith('<!--')) return undefined
  if (tag.startsWith('<![CDATA[')) return { kind: 'text', text: tag.slice(9, -3) }
  if (tag.startsWith('<!'))
    throw new TableError('The workbook has a document type, which is not allowed. Save it again.')
  if (tag.startsWith('</')) return { kind: 'close', name: localName(tag.slice(2, -1)) }
  const isEmpty = tag.endsWith('/>')
  const inside = tag.slice(1, isEmpty ? -2 : -1)
  const space = inside.search(/\s/)
  const name = space < 0 ? inside : inside.slice(0, space)
  return { kind: 'open', name: localName(name), attributes: space < 0 ? '' : inside.slice(space), isEmpty }
}

/** Without the prefix of its namespace. */
function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1).trim()
}

/** The value of an attribute, whatever the prefix of its namespace. */
export function attribute(attributes: string, name: string): string | undefined {
  let pattern = patterns.get(name)
  if (!pattern) {
    pattern = new RegExp(`\\s(?:\\w+:)?${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`)
    patterns.set(name, pattern)
  }
  const found = pattern.exec(attributes)
  return found ? decoded(found[1] ?? found[2] ?? '') : undefined
}

/** By the name of the attribute: a cell is asked for three of them. */
const patterns = new Map<string, RegExp>()

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function decoded(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w+));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return entities[name] ?? whole
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
    return code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd'
  })
}
