/** The objects of a PDF file, and the table by which a reader finds them (ISO 32000). */
import { deflateSync } from 'node:zlib'

/** The name by which one object mentions another: `4 0 R`. */
export type Reference = string

export class PdfFile {
  readonly #objects: Buffer[] = []

  /** An object without bytes of its own; `entries` is the inside of a dictionary. */
  dictionary(entries: string): Reference {
    return this.#add(Buffer.from(`<<${entries}>>`, 'latin1'))
  }

  /** An object with bytes, which are deflated. */
  stream(entries: string, bytes: Uint8Array): Reference {
    const deflated = deflateSync(bytes)
    const head = `<<${entries}/Filter/FlateDecode/Length ${deflated.length}>>stream\n`
    return this.#add(Buffer.concat([Buffer.from(head, 'latin1'), deflated, Buffer.from('\nendstream')]))
  }

  /** The whole file, with one page. */
  bytes(page: string): Uint8Array {
    // The tree of pages is the object after its only page, which mentions it.
    const tree = `${this.#objects.length + 2} 0 R`
    const leaf = this.dictionary(`/Type/Page/Parent ${tree}${page}`)
    this.dictionary(`/Type/Pages/Kids[${leaf}]/Count 1`)
    const catalog = this.dictionary(`/Type/Catalog/Pages ${tree}`)
    // Four bytes above 127 tell programs that copy it that the file is no text.
    const parts = [Buffer.from('%PDF-1.4\n%\xe2\xe3\xcf\xd3\n', 'latin1')]
    let length = parts[0]?.length ?? 0
    const entries = this.#objects.map((object, index) => {
      const at = length
      const part = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), object, Buffer.from('\nendobj\n')])
      parts.push(part)
      length += part.length
      return `${String(at).padStart(10, '0')} 00000 n \n`
    })
    const size = entries.length + 1
    const table = `xref\n0 ${size}\n0000000000 65535 f \n${entries.join('')}`
    const trailer = `trailer\n<</Size ${size}/Root ${catalog}>>\nstartxref\n${length}\n%%EOF\n`
    return Buffer.concat([...parts, Buffer.from(table + trailer, 'latin1')])
  }

  #add(object: Buffer): Reference {
    this.#objects.push(object)
    return `${this.#objects.length} 0 R`
  }
}
