/**
 * Whether a client prefers `text/csv` over JSON: it must name CSV, and wildcards count for JSON
 * (docs/api/metrics.md#csv).
 */
export function prefersCsv(accept: string | undefined): boolean {
  if (accept === undefined) return false
  const ranges = mediaTypes(accept)
  const csv = ranges.get('text/csv') ?? 0
  // RFC 9110, 12.5.1: the closest range counts.
  const json = ranges.get('application/json') ?? ranges.get('application/*') ?? ranges.get('*/*') ?? 0
  return csv > 0 && csv >= json
}

/** Weights by media range; the first counts where one is named twice. */
export function mediaTypes(accept: string): ReadonlyMap<string, number> {
  const ranges = new Map<string, number>()
  for (const range of accept.split(',')) {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    const q = parameters.find((parameter) => parameter.startsWith('q='))
    if (!ranges.has(name)) ranges.set(name, q === undefined ? 1 : Number(q.slice(2)) || 0)
  }
  return ranges
}
