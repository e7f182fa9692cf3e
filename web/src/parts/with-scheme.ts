/** People type and paste `example.com/page`; the API wants a whole URL. */
export function withScheme(url: string): string {
  const written = url.trim()
  return /^[a-z][a-z0-9+.-]*:/i.test(written) ? written : `https://${written}`
}

/** As people say it, without scheme and `www`. */
export function plainUrl(url: string): string {
  return url.replace(/^https?:\/\/(www\.)?/, '').replace(/\/$/, '') || '…'
}
