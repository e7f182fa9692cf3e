/** Whether a client prefers `text/csv` over JSON (gaps 2.5). Naming CSV is a wish; wildcards are none. */
export function prefersCsv(accept: string | undefined): boolean {
  if (accept === undefined) return false
  const csv = quality(accept, 'text/csv')
  return csv > 0 && csv >= quality(accept, 'application/json')
}

function quality(accept: string, type: string): number {
  for (const range of accept.split(',')) {
    const [name, ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    if (name !== type) continue
    const q = parameters.find((parameter) => parameter.startsWith('q='))
    return q === undefined ? 1 : Number(q.slice(2)) || 0
  }
  return 0
}
