import type { FastifyRequest } from 'fastify'

/**
 * Logs an error that is a bug or an outage. The URL may contain a token and personal data, so the entry has the route, and
 * of the query the names of its parameters.
 */
export function logFailure(request: FastifyRequest, error: unknown): void {
  const { id: requestId, routeOptions, url } = request
  const fields = { err: error, route: routeOptions.url, requestId, parameters: parameterNames(url) }
  request.log.error(fields, 'request failed')
}

/** Sorted, each once. Text that cannot be a name, such as a pasted secret, is left out. */
export function parameterNames(url: string): readonly string[] {
  const at = url.indexOf('?')
  if (at === -1) return []
  const names = url
    .slice(at + 1)
    .split('&', maxNames)
    .map((pair) => pair.split('=', 1)[0] ?? '')
  return [...new Set(names.filter((name) => /^[A-Za-z_]{1,40}$/.test(name)))].sort()
}

const maxNames = 100
