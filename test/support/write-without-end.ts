import type { ServerResponse } from 'node:http'

/** Writes blanks until the client is gone. Returns how many bytes were written so far. */
export function writeWithoutEnd(response: ServerResponse): () => number {
  let sent = 0
  const more = () => {
    while (!response.destroyed) {
      sent += 65_536
      if (!response.write(' '.repeat(65_536))) return response.once('drain', more)
    }
    return undefined
  }
  more()
  return () => sent
}
