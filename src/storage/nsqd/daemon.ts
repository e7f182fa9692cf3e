/** One nsqd that messages can be handed to, by whichever of its two doors. */
export interface Daemon {
  /** `host:port`, for people. */
  readonly name: string
  /** Resolves when the daemon has confirmed all of them. A rejection says nothing about whether it has them. */
  publish(topic: string, messages: readonly Buffer[]): Promise<void>
  close(): void
}

/** nsqd's own body of MPUB: how many, then each with its size in front. */
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

// Our choice: longer than a busy daemon takes, short enough that another one is asked before anybody notices.
export const patience = { connect: 2_000, answer: 5_000 }
