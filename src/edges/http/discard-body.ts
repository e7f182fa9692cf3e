import type { IncomingMessage } from 'node:http'

/** Bytes, and milliseconds. */
const bounds = { bytes: 32 * 1024 * 1024, time: 2000 }

/**
 * Reads the rest of a body that is too large, within bounds. A 413 closes the connection, so a client that sends all of the
 * body before it reads, as many HTTP libraries do, would get a broken connection instead of the response.
 */
export function discardBody(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let left = bounds.bytes
    const timer = setTimeout(finish, bounds.time)
    function count(chunk: Buffer): void {
      left -= chunk.length
      if (left < 0) finish()
    }
    function finish(): void {
      clearTimeout(timer)
      request.off('data', count).off('close', finish).off('end', finish)
      resolve()
    }
    request.on('data', count).once('end', finish).once('close', finish)
  })
}
