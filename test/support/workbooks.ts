import { crc32, deflateRawSync } from 'node:zlib'

/** A ZIP archive with these files, all packed. `claimed`: their size, if the archive lies about it. */
export function zipOf(files: Readonly<Record<string, string | Buffer>>, claimed?: number): Buffer {
  const locals: Buffer[] = []
  const list: Buffer[] = []
  let at = 0
  for (const [name, content] of Object.entries(files)) {
    const bytes = Buffer.from(content as string)
    const packed = deflateRawSync(bytes)
    const sizes = Buffer.alloc(12)
    sizes.writeUInt32LE(crc32(bytes), 0)
    sizes.writeUInt32LE(packed.length, 4)
    sizes.writeUInt32LE(claimed ?? bytes.length, 8)
    const names = Buffer.alloc(4)
    names.writeUInt16LE(Buffer.byteLength(name), 0)
    const start = Buffer.from([0x14, 0, 0, 0, 8, 0, 0, 0, 0, 0])
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), start, sizes, names, Buffer.from(name), packed])
    const place = Buffer.alloc(14)
    place.writeUInt32LE(at, 10)
    list.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\0'), start, sizes, names, place, Buffer.from(name)]))
    locals.push(local)
    at += local.length
  }
  const listed = Buffer.concat(list)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(list.length, 8)
  end.writeUInt16LE(list.length, 10)
  end.writeUInt32LE(listed.length, 12)
  end.writeUInt32LE(at, 16)
  return Buffer.concat([...locals, listed, end])
}

type Cell = (reference: string) => string

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

export const cell = {
  shared:
    (at: number): Cell =>
    (r) =>
      `<c r="${r}" t="s"><v>${at}</v></c>`,
  inline:
    (text: string, isRaw = false): Cell =>
    (r) =>
      `<c r="${r}" t="inlineStr"><is><t xml:space="preserve">${isRaw ? text : escaped(text)}</t></is></c>`,
  number:
    (text: string): Cell =>
    (r) =>
      `<c r="${r}"><v>${text}</v></c>`,
  date:
    (text: string, style: number): Cell =>
    (r) =>
      `<c r="${r}" s="${style}"><v>${text}</v></c>`,
  custom:
    (attributes: string, content: string): Cell =>
    (r) =>
      `<c r="${r}" ${attributes}>${content}</c>`,
}

export function sheetXml(rows: readonly (readonly (Cell | undefined)[])[]): string {
  const lines = rows.map((row, at) => {
    const cells = row.map((each, column) => each?.(`${String.fromCharCode(65 + column)}${at + 1}`) ?? '')
    return row.length === 0 ? '' : `<row r="${at + 1}" spans="1:5">${cells.join('')}</row>`
  })
  return `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\r\n<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><!-- > --><sheetData>${lines.join('')}</sheetData></worksheet>`
}

type SharedText = string | { readonly rich: readonly string[] }

/** A workbook as spreadsheets write it: style 1 is a built-in date, style 2 one of its own. */
export function workbook({ sheet, texts }: { readonly sheet: string; readonly texts: readonly SharedText[] }): Buffer {
  const shared = texts.map((text) =>
    typeof text === 'string'
      ? `<si><t>${escaped(text)}</t></si>`
      : `<si>${text.rich.map((run) => `<r><rPr><b/></rPr><t xml:space="preserve">${escaped(run)}</t></r>`).join('')}<rPh sb="0" eb="1"><t>no</t></rPh></si>`,
  )
  return zipOf({
    '[Content_Types].xml': '<Types/>',
    'xl/workbook.xml':
      '<workbook xmlns:r="x"><workbookPr date1904="0"/><sheets><sheet name="One > two" sheetId="1" r:id="rId7"/><sheet name="Two" sheetId="2" r:id="rId8"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels':
      '<Relationships><Relationship Id="rId8" Target="worksheets/sheet2.xml"/><Relationship Id="rId7" Target="worksheets/first.xml"/></Relationships>',
    'xl/styles.xml':
      '<styleSheet><numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/></numFmts><cellStyleXfs><xf numFmtId="0"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="22"/><xf numFmtId="164"/></cellXfs></styleSheet>',
    'xl/sharedStrings.xml': `<sst>${shared.join('')}</sst>`,
    'xl/worksheets/first.xml': sheet,
    'xl/worksheets/sheet2.xml': sheetXml([]),
  })
}
