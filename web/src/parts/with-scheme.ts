/** People type and paste `example.com/page`; the API wants a whole URL. */
export function withScheme(url: string): string {
  const written = url.trim()
  return /^[a-z][a-z0-9+.-]*:/i.test(written) ? written : `https://${written}`
}
