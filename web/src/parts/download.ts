/** Saves a file that the API sent as a data URI. */
export function downloadDataUri(uri: string, filename: string): void {
  const type = /^data:([^;,]+)/.exec(uri)?.[1] ?? 'application/octet-stream'
  downloadBlob(new Blob([bytesOf(uri)], { type }), filename)
}

export function bytesOf(uri: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(uri.split(',', 2)[1] ?? ''), (letter) => letter.charCodeAt(0))
}

export function downloadBlob(blob: Blob, filename: string): void {
  const url = URL.createObjectURL(blob)
  const anchor = document.createElement('a')
  anchor.href = url
  anchor.download = filename
  anchor.click()
  URL.revokeObjectURL(url)
}
