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
