import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Closable } from '../../src/lib/closing.js'

export interface SmsReceiver extends Closable {
  /** As `smsGatewayUrl` is configured. */
  readonly url: string
  readonly messages: readonly {
    readonly to: string
    readonly text: string
    readonly authorization: string | undefined
  }[]
  /** What it answers from now on. */
  answer(status: number): void
}

/** A real gateway on loopback, which keeps what it is given. */
export async function startSmsReceiver(): Promise<SmsReceiver> {
  const messages: { to: string; text: string; authorization: string | undefined }[] = []
  let status = 202
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    if (status < 300) {
      const { to, text } = JSON.parse(Buffer.concat(chunks).toString('utf8'))
      messages.push({ to, text, authorization: request.headers.authorization })
    }
    response.writeHead(status, { connection: 'close' }).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/send`,
    messages,
    answer: (next) => {
      status = next
    },
    async close() {
      server.close()
      await once(server, 'close')
    },
  }
}

/** The six digits of a message. */
export function codeIn(text: string | undefined): string {
  return /\b\d{6}\b/.exec(text ?? '')?.[0] ?? ''
}
