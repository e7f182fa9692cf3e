import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader'

let prepared: Promise<unknown> | undefined

/** What a scanner reads in a PNG; undefined when it finds no code. */
export async function readQrCode(png: Uint8Array): Promise<string | undefined> {
  prepared ??= prepare()
  await prepared
  const [found] = await readBarcodes(png, { formats: ['QRCode'] })
  return found?.text
}

/** The decoder would fetch its own file otherwise. */
async function prepare(): Promise<unknown> {
  const wasm = createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm')
  const wasmBinary = new Uint8Array(await readFile(wasm)).buffer
  return prepareZXingModule({ overrides: { wasmBinary }, fireImmediately: true })
}
