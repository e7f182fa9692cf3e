import { messageOf } from '../../lib/message-of.js'
import { OperatorError } from '../../lib/operator-error.js'

/** An external nsqd that messages are published to, over TCP or HTTP. */
export interface Daemon {
  /** `host:port`, for log messages. */
  readonly name: string
  /** Resolves when the daemon has confirmed all messages. After a rejection it may have them or not. */
  publish(topic: string, messages: readonly Buffer[]): Promise<void>
  close(): void
}

/** The body of MPUB: the number of messages, then each with its size in front. */
export function batchBody(messages: readonly Buffer[]): Buffer {
  const parts: Buffer[] = [uint32(messages.length)]
  for (const message of messages) parts.push(uint32(message.length), message)
  return Buffer.concat(parts)
}

export function uint32(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4)
  bytes.writeUInt32BE(value)
  return bytes
}

// Longer than a busy daemon takes, short enough to switch to another daemon unnoticed.
export const timeouts = { connect: 2_000, answer: 5_000 }

/** A short reason for a network failure: the code of the cause that fetch wraps in "fetch failed". */
export function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  // A host name with several IPs fails with one error for each.
  if (cause instanceof AggregateError && cause.errors.length > 0) return reasonOf(cause.errors[0])
  if (cause instanceof DOMException && cause.name === 'TimeoutError') return 'timeout'
  if (cause instanceof Error && 'code' in cause && typeof cause.code === 'string') return cause.code
  return messageOf(cause)
}

/**
 * Publishes over nsqd's HTTP interface: POST /mpub. It has no authentication, so it must not be reachable from outside.
 */
export function httpDaemon(origin: string): Daemon {
  const { host: name } = new URL(origin)
  return {
    name,
    async publish(topic, messages) {
      let answer: Response
      let text: string
      try {
        answer = await fetch(`${origin}/mpub?topic=${encodeURIComponent(topic)}&binary=true`, {
          method: 'POST',
          body: new Uint8Array(batchBody(messages)),
          signal: AbortSignal.timeout(timeouts.answer),
          redirect: 'error',
        })
        text = await answer.text()
      } catch (error) {
        throw new OperatorError(
          `Cannot reach nsqd at ${name} (${reasonOf(error)}). Check nsqdHttpAddresses, and that the daemon runs.`,
        )
      }
      // Another server may answer 200 too: only nsqd answers OK.
      if (answer.ok && text === 'OK') return
      throw new OperatorError(
        `nsqd at ${name} does not accept messages for ${topic} (status ${answer.status}: ${text.slice(0, 200)}). Check nsqdHttpAddresses.`,
      )
    },
    close() {},
  }
}
