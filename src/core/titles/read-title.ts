/** Extracts the title from the first bytes of an HTML page. Pure; does not build a document. */
import { TextDecoder } from 'node:util'

/** Longer titles are cut, never within a character. In UTF-16 code units. */
const titleLimit = 500

/** `contentType` is the header as sent. Undefined without a title, or if it is blank. */
export function readTitle(bytes: Uint8Array, contentType: string): string | undefined {
  const html = decode(bytes, contentType)
  const content = titleContent(html)
  if (content === undefined) return undefined
  const text = decodeEntities(content)
    .replace(/(?:(?!\p{Join_Control})[\s\p{Cc}\p{Cf}\p{Cs}])+/gu, (run) => (/\s|\p{Cc}/u.test(run) ? ' ' : ''))
    .trim()
  // Keep zero-width joiners between characters: emoji and some scripts need them.
  return /[^\s\p{Join_Control}]/u.test(text) ? shortened(text) : undefined
}

/** Whether the rest of the page cannot contain the title, so the reader can stop early. */
export function titleIsComplete(bytes: Uint8Array): boolean {
  // Tags are ASCII in every encoding except UTF-16; such pages are read up to the limit.
  return /<\/title|<body[\s>]/i.test(Buffer.from(bytes).toString('latin1'))
}

/** Bytes of the previous chunk to search again, because a tag may span two chunks. */
export const maxTagLength = '</title'.length

function shortened(text: string): string {
  if (text.length <= titleLimit) return text
  const end = /[\ud800-\udbff]/.test(text[titleLimit - 2] ?? '') ? titleLimit - 2 : titleLimit - 1
  return `${text.slice(0, end).trimEnd()}…`
}

/** The first `<title>` that a browser would use: not inside a comment, script or SVG. */
function titleContent(html: string): string | undefined {
  const tag = /<(!--|title|script|style|svg|noscript|template|textarea|iframe|body)(?=[\s/>]|(?<=--))/gi
  for (let match = tag.exec(html); match; match = tag.exec(html)) {
    const name = (match[1] ?? '').toLowerCase()
    if (name === 'body') continue
    const opened = name === '!--' ? match.index + 2 : html.indexOf('>', match.index)
    if (opened === -1) return undefined
    const end = indexOfIgnoringCase(html, name === '!--' ? '-->' : `</${name}`, opened)
    if (name === 'title') return end === -1 ? undefined : html.slice(opened + 1, end)
    if (end === -1) return undefined
    tag.lastIndex = end
  }
  return undefined
}

function indexOfIgnoringCase(text: string, wanted: string, from: number): number {
  const pattern = new RegExp(wanted, 'gi')
  pattern.lastIndex = from
  return pattern.exec(text)?.index ?? -1
}

/** As browsers do: byte order mark, header, `<meta>` near the top; otherwise UTF-8 if valid, else Windows-1252. */
function decode(bytes: Uint8Array, contentType: string): string {
  const named = byteOrderMark(bytes) ?? charsetIn(contentType) ?? metaCharset(bytes)
  const decoder = named === undefined ? undefined : decoderFor(named)
  if (decoder) return decoder.encoding === 'windows-1252' ? decodeWindows1252(bytes) : decoder.decode(bytes)
  const text = new TextDecoder('utf-8').decode(bytes)
  // The last character may be cut where reading stopped, which does not make it another encoding.
  return text.slice(0, -4).includes('\ufffd') ? decodeWindows1252(bytes) : text
}

/** Decoded by hand, because Node 20 decodes Windows-1252 as Latin-1; they differ in the bytes 128 to 159. */
function decodeWindows1252(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString('latin1')
  return text.replace(/[\x80-\x9f]/g, (character) => windows1252[character.charCodeAt(0) - 0x80] ?? character)
}

const windows1252 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ'

function byteOrderMark([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return first === 0xff && second === 0xfe ? 'utf-16le' : undefined
}

function charsetIn(text: string): string | undefined {
  return /charset\s*=\s*(?:["']\s*)?([^\s"';>]+)/i.exec(text)?.[1]
}

function metaCharset(bytes: Uint8Array): string | undefined {
  const top = Buffer.from(bytes.subarray(0, 2048)).toString('latin1')
  for (const [meta] of top.matchAll(/<meta\s[^>]*>/gi)) {
    const charset = charsetIn(meta)
    // HTML standard: a page whose meta tag can be read as ASCII is not UTF-16.
    if (charset !== undefined) return /^utf-?16/i.test(charset) ? 'utf-8' : charset
  }
  return undefined
}

function decoderFor(charset: string): TextDecoder | undefined {
  try {
    return new TextDecoder(charset)
  } catch (error) {
    // Ignore unknown encoding names.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

export function decodeEntities(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z]\w{1,9}));?/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return entities.get(name) ?? whole
    return fromNumber(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16))
  })
}

function fromNumber(code: number): string {
  if (code >= 0x80 && code <= 0x9f) return decodeWindows1252(Uint8Array.of(code))
  const possible = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
  return possible ? String.fromCodePoint(code) : '\ufffd'
}

/** The entities that occur in titles; HTML has about two thousand. */
const entities: ReadonlyMap<string, string> = new Map([
  ...Object.entries({ amp: '&', AMP: '&', lt: '<', LT: '<', gt: '>', GT: '>', quot: '"', QUOT: '"', apos: "'" }),
  // Latin-1 has a name for each character from 160 on.
  ...latinNames().map((name, index): [string, string] => [name, String.fromCharCode(160 + index)]),
  ...Object.entries({
    OElig: 'Œ',
    oelig: 'œ',
    Scaron: 'Š',
    scaron: 'š',
    Yuml: 'Ÿ',
    ensp: ' ',
    emsp: ' ',
    thinsp: ' ',
    ndash: '–',
    mdash: '—',
    lsquo: '‘',
    rsquo: '’',
    sbquo: '‚',
    ldquo: '“',
    rdquo: '”',
    bdquo: '„',
    dagger: '†',
    bull: '•',
    hellip: '…',
    permil: '‰',
    prime: '′',
    Prime: '″',
    lsaquo: '‹',
    rsaquo: '›',
    euro: '€',
    trade: '™',
    larr: '←',
    rarr: '→',
    minus: '−',
    infin: '∞',
    ne: '≠',
    le: '≤',
    ge: '≥',
    hearts: '♥',
    check: '✓',
    star: '☆',
    starf: '★',
    middot: '·',
    verbar: '|',
    vert: '|',
    lpar: '(',
    rpar: ')',
    colon: ':',
    comma: ',',
    period: '.',
    excl: '!',
    quest: '?',
    num: '#',
    dollar: '$',
    percnt: '%',
    commat: '@',
    sol: '/',
    ast: '*',
    lowbar: '_',
    lbrack: '[',
    rbrack: ']',
    NewLine: '\n',
    Tab: '\t',
  }),
])

function latinNames(): readonly string[] {
  return `nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro
    para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave
    Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc
    Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc
    iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml`.split(
    /\s+/,
  )
}
