/** Saves a file that the API sent as a data URI. */
export function downloadDataUri(uri: string, filename: string): void {
  const [head = '', body = ''] = uri.split(',', 2)
  const bytes = Uint8Array.from(atob(body), (letter) => letter.charCodeAt(0))
  downloadBlob(new Blob([bytes], { type: /^data:([^;]+)/.exec(head)?.[1] ?? 'application/octet-stream' }), filename)
}

export function downloadBlob(blob: Blob, filename: string): void {
  const url = URL.createObjectURL(blob)
  const anchor = document.createElement('a')
  anchor.href = url
  anchor.download = filename
  anchor.click()
  URL.revokeObjectURL(url)
}
