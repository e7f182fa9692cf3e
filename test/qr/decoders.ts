/** Two programs that read QR codes, which others wrote. */
import { spawn, spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader'

/** The reason why zbar cannot be asked; undefined when it can. */
export const zbarMissing =
  spawnSync('zbarimg', ['--version']).status === 0 ? undefined : 'zbarimg is not installed (apt-get install zbar-tools)'

let prepared: Promise<unknown> | undefined

/** The text of the code in a picture. */
export async function readByZxing(image: Uint8Array): Promise<string | undefined> {
  prepared ??= prepare()
  await prepared
  const [found] = await readBarcodes(image, { formats: ['QRCode'] })
  return found?.text
}

/** With the file of its package: it would fetch one otherwise. */
async function prepare(): Promise<void> {
  const file = createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm')
  const wasmBinary = new Uint8Array(await readFile(file)).buffer
  await prepareZXingModule({ overrides: { wasmBinary }, fireImmediately: true })
}

/** The texts of the codes in many files, by file: one start of the program for all. */
export async function readByZbar(files: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const program = spawn('zbarimg', ['-q', '--xml', '-Sdisable', '-Sqrcode.enable', ...files])
  let xml = ''
  program.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    xml += chunk
  })
  await new Promise((resolve) => program.on('close', resolve))
  const found = new Map<string, string>()
  for (const [, file = '', source = ''] of xml.matchAll(/<source href='([^']*)'>([\s\S]*?)<\/source>/g)) {
    const [, text] = /<data[^>]*><!\[CDATA\[([\s\S]*?)\]\]><\/data>/.exec(source) ?? []
    if (text !== undefined) found.set(file, text)
  }
  return found
}
