import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Stands between Caddy and the service, and notes which requests a call of a client makes. */
export interface Recorder {
  readonly port: number
  /** A driver asks for this URL and the name of the call before each call. */
  readonly calls: string
  /** Where requests go; of the service that runs now. */
  forwardTo(port: number): void
  /** By the name of the call. */
  take(): ReadonlyMap<string, readonly Recorded[]>
  close(): void
}

interface Recorded {
  readonly method: string
  readonly path: string
  readonly status: number
}

const prefix = '/calls-of-clients/'

export async function startRecorder(): Promise<Recorder> {
  let upstream = 0
  let requests: Recorded[] = []
  let byCall = new Map<string, Recorded[]>()
  const server = createServer((incoming, outgoing) => {
    const { method = '', url = '', headers } = incoming
    if (url.startsWith(prefix)) {
      const name = decodeURIComponent(url.slice(prefix.length).replaceAll('+', ' '))
      requests = byCall.get(name) ?? []
      byCall.set(name, requests)
      outgoing.end()
      return
    }
    const list = requests
    const forwarded = request({ host: '127.0.0.1', port: upstream, method, path: url, headers }, (answer) => {
      list.push({ method, path: url.replace(/\?.*/s, ''), status: answer.statusCode ?? 0 })
      outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
      answer.pipe(outgoing)
    })
    forwarded.once('error', () => outgoing.destroy())
    incoming.pipe(forwarded)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    calls: `http://127.0.0.1:${port}${prefix.slice(0, -1)}`,
    forwardTo(target) {
      upstream = target
    },
    take() {
      const taken = byCall
      byCall = new Map()
      return taken
    },
    close: () => server.close().closeAllConnections(),
  }
}
