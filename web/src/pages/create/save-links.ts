/** Links that were made, as files to hand on. */
import { csvText } from '../../parts/csv.js'
import { bytesOf, downloadBlob } from '../../parts/download.js'
import { zipOf } from '../../parts/zip.js'
import { plainCode } from './queries.js'

interface Code {
  /** Of its file, without the ending. */
  readonly name: string
  readonly url: string
}

/** More would take the browser and the service too long. */
export const maxCodes = 1000

/** What a printed code brings is counted as scans. */
export function codeOf(group: string, url: string): Promise<string> {
  return plainCode(group, `${url}?r=qr`, 'svg')
}

export async function saveCodes(group: string, codes: readonly Code[], fileName: string): Promise<void> {
  const names = uniqueNames(codes.map(({ name }) => name))
  const files = codes.map(async ({ url }, at) => ({
    name: `${names[at]}.svg`,
    bytes: bytesOf(await codeOf(group, url)),
  }))
  downloadBlob(zipOf(await Promise.all(files)), `${fileName}-qr.zip`)
}

/** Codes that are named after the back-halves of their links. */
export function codesOf(urls: readonly string[]): readonly Code[] {
  return urls.map((url) => ({ name: url.slice(url.lastIndexOf('/') + 1), url }))
}

export function saveCsv(rows: readonly (readonly string[])[], fileName: string): void {
  downloadBlob(new Blob([csvText(rows)], { type: 'text/csv' }), `${fileName}.csv`)
}

/** Names that are there already get a number: `radio`, `radio-2`. Some systems do not tell capitals apart. */
export function uniqueNames(names: readonly string[]): readonly string[] {
  const taken = new Set<string>()
  return names.map((name) => {
    let unique = name
    for (let number = 2; taken.has(unique.toLowerCase()); number += 1) unique = `${name}-${number}`
    taken.add(unique.toLowerCase())
    return unique
  })
}
