/** The bytes of the protocol, as the server writes them. Both sides read by input.ts. */

export const magic = '  V2'

export const FrameType = { response: 0, error: 1, message: 2 } as const

export type FrameType = (typeof FrameType)[keyof typeof FrameType]

/** A size that counts everything after itself, the type, the data. */
export function frame(type: FrameType, data: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(8 + data.length)
  bytes.writeInt32BE(data.length + 4, 0)
  bytes.writeInt32BE(type, 4)
  data.copy(bytes, 8)
  return bytes
}

/** Size, type, time, attempts and id: what comes before a message's body. */
export const messageHead = 4 + 4 + 8 + 2 + 16

/** `time` is eight bytes already: all messages of a block share them, and a BigInt for each would cost more than the rest. */
export function writeMessageHead(
  to: Buffer,
  at: number,
  bodySize: number,
  time: Buffer,
  attempts: number,
  id: string,
): void {
  to.writeInt32BE(messageHead - 4 + bodySize, at)
  to.writeInt32BE(FrameType.message, at + 4)
  time.copy(to, at + 8)
  to.writeUInt16BE(Math.min(attempts, maxAttempts), at + 16)
  to.write(id, at + 18, 16, 'latin1')
}

/** Attempts have sixteen bits on the wire: counting ends there, trying does not. */
export const maxAttempts = 0xffff

/** Nanoseconds since 1970, eight bytes. */
export function timeBytes(milliseconds: number): Buffer {
  const bytes = Buffer.allocUnsafe(8)
  bytes.writeBigInt64BE(BigInt(milliseconds) * 1_000_000n)
  return bytes
}

/** The number of the message in its topic, as the protocol wants an id: sixteen hexadecimal digits. */
export function messageId(position: number): string {
  return position.toString(16).padStart(16, '0')
}

/** The number that an id stands for; undefined when no message of ours can have it. */
export function positionOf(id: string): number | undefined {
  return /^000[0-9a-f]{13}$/.test(id) ? Number.parseInt(id, 16) : undefined
}
