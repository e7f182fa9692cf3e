/**
 * A request with two Host headers is refused (RFC 9112, 3.2): node:http would take the first, a proxy in front maybe the
 * last, and what the proxy thought it let through would be another domain's.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'

export function namesTwoHosts({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]
    // Lower case costs more than the length, and every API request comes by here.
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts > 1
}

export function refuseTwoHosts(response: ServerResponse): void {
  response.writeHead(400, { 'Content-Length': 0, Connection: 'close' }).end()
}
