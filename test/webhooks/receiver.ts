/** A real receiver of webhooks on loopback, which notes every request and answers as a test wants. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'

export interface ReceivedRequest {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The parsed body. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  readonly body: any
}

type Answer = (response: ServerResponse, request: ReceivedRequest) => void

export interface Receiver {
  readonly url: string
  readonly requests: readonly ReceivedRequest[]
  /** The events of all accepted requests, in order of arrival, duplicates too. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly events: readonly any[]
  /** How the next requests are answered. */
  answerWith(answer: Answer): void
  close(): Promise<void>
}

export const accept: Answer = (response) => void response.end('ok')

export function status(code: number, text = ''): Answer {
  return (response) => void response.writeHead(code).end(text)
}

export async function startReceiver(first: Answer = accept, port = 0): Promise<Receiver> {
  let answer = first
  const requests: ReceivedRequest[] = []
  // biome-ignore lint/suspicious/noExplicitAny: as above
  const events: any[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString()
      const isJson = request.headers['content-type'] === 'application/json'
      const body = isJson ? JSON.parse(text) : undefined
      const received = { path: request.url ?? '', headers: request.headers, text, body }
      requests.push(received)
      response.on('finish', () => {
        if (response.statusCode < 300 && isJson) events.push(...(body.event_type === 'batch' ? body.events : [body]))
      })
      answer(response, received)
    })
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    requests,
    events,
    answerWith(next) {
      answer = next
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Throws unless the published library accepts the signature. */
export function verify(secret: string, { text, headers }: ReceivedRequest): unknown {
  return new Webhook(secret).verify(text, headers as Record<string, string>)
}
