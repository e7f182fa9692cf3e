/** The rows of the first sheet of an XLSX workbook. Throws if it is none. */
export async function readWorkbook(bytes: Uint8Array<ArrayBuffer>): Promise<readonly (readonly string[])[]> {
  const files = filesIn(bytes)
  const read = async (name: string) =>
    new DOMParser().parseFromString((await files.get(name)?.()) ?? '<none/>', 'application/xml')
  const [sheet] = all(await read('xl/workbook.xml'), 'sheet')
  const relations = all(await read('xl/_rels/workbook.xml.rels'), 'Relationship')
  const target = relations.find((each) => each.getAttribute('Id') === sheet?.getAttribute('r:id'))
  const path = target?.getAttribute('Target') ?? 'worksheets/sheet1.xml'
  const shared = all(await read('xl/sharedStrings.xml'), 'si').map(textOf)
  const rows = all(await read(path.startsWith('/') ? path.slice(1) : `xl/${path}`), 'row')
  return rows.map((row) => cellsOf(row, shared)).filter((cells) => cells.some((cell) => cell !== ''))
}

function cellsOf(row: Element, shared: readonly string[]): readonly string[] {
  const cells: string[] = []
  for (const cell of all(row, 'c')) {
    const letters = /^[A-Z]{1,3}/.exec(cell.getAttribute('r') ?? '')?.[0]
    const at = letters
      ? [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1
      : cells.length
    // Cells without a value are left out.
    while (cells.length < at) cells.push('')
    const type = cell.getAttribute('t')
    const value = all(cell, 'v')[0]?.textContent ?? ''
    cells[at] = type === 's' ? (shared[Number(value)] ?? '') : type === 'inlineStr' ? textOf(cell) : value
  }
  return cells
}

/** Without the pronunciation that Japanese texts have. */
function textOf(element: Element): string {
  const parts = all(element, 't').filter((part) => part.parentElement?.localName !== 'rPh')
  return parts.map((part) => part.textContent).join('')
}

function all(within: Document | Element, name: string): readonly Element[] {
  return [...within.getElementsByTagNameNS('*', name)]
}

/** The files of a ZIP archive, unpacked when they are asked for. */
function filesIn(bytes: Uint8Array<ArrayBuffer>): ReadonlyMap<string, () => Promise<string>> {
  const view = new DataView(bytes.buffer)
  let end = bytes.length - 22
  while (view.getUint32(end, true) !== 0x06054b50) end -= 1
  const files = new Map<string, () => Promise<string>>()
  let at = view.getUint32(end + 16, true)
  for (let left = view.getUint16(end + 10, true); left > 0; left -= 1) {
    const [nameLength = 0, extra = 0, comment = 0] = [28, 30, 32].map((place) => view.getUint16(at + place, true))
    const name = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + nameLength))
    const isPacked = view.getUint16(at + 10, true) !== 0
    const length = view.getUint32(at + 20, true)
    const local = view.getUint32(at + 42, true)
    files.set(name, () => {
      const start = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true)
      const { body } = new Response(bytes.subarray(start, start + length))
      return new Response(isPacked ? body?.pipeThrough(new DecompressionStream('deflate-raw')) : body).text()
    })
    at += 46 + nameLength + extra + comment
  }
  return files
}
