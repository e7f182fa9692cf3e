/** Encoding of frames as the server writes them. input.ts decodes, for the server and for clients. */

export const magic = '  V2'

export const FrameType = { response: 0, error: 1, message: 2 } as const

export type FrameType = (typeof FrameType)[keyof typeof FrameType]

/** A frame: the size of everything after it, the type, the data. */
export function frame(type: FrameType, data: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(8 + data.length)
  bytes.writeInt32BE(data.length + 4, 0)
  bytes.writeInt32BE(type, 4)
  data.copy(bytes, 8)
  return bytes
}

/** Header of a message frame: size, type, time, attempts and id. */
export const messageHead = 4 + 4 + 8 + 2 + 16

/**
 * `time` is already encoded: all messages of a block share it, and one BigInt per message would cost more than the
 * rest.
 */
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

/** Attempts are 16 bits on the wire; the counter stops here, redelivery does not. */
export const maxAttempts = 0xffff

/** Nanoseconds since 1970, as eight bytes. */
export function timeBytes(milliseconds: number): Buffer {
  const bytes = Buffer.allocUnsafe(8)
  bytes.writeBigInt64BE(BigInt(milliseconds) * 1_000_000n)
  return bytes
}

/** Message id: the position in the topic as sixteen hexadecimal digits. */
export function messageId(position: number): string {
  return position.toString(16).padStart(16, '0')
}

/** The position of a message id, or undefined when the id cannot be ours. */
export function positionOf(id: string): number | undefined {
  return /^000[0-9a-f]{13}$/.test(id) ? Number.parseInt(id, 16) : undefined
}

/** Names of topics and channels. */

const valid = /^[.a-zA-Z0-9_-]+(#ephemeral)?$/

/** The length includes the suffix. */
export function isValidName(name: string): boolean {
  return name.length >= 1 && name.length <= 64 && valid.test(name)
}

export function isEphemeral(name: string): boolean {
  return name.endsWith('#ephemeral')
}
