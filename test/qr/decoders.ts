/** A program that reads QR codes, beside support/read-qr-code.ts. */
import { spawn, spawnSync } from 'node:child_process'

/** The reason why zbar cannot be asked; undefined when it can. */
export const zbarMissing =
  spawnSync('zbarimg', ['--version']).status === 0 ? undefined : 'zbarimg is not installed (apt-get install zbar-tools)'

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
