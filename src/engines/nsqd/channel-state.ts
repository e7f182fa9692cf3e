/** Binary encoding of a channel's unfinished messages, as saved in the log. */

export interface Outstanding {
  readonly position: number
  readonly attempts: number
  /** Earliest redelivery time; 0 means now. */
  readonly until: number
}

export interface Unfinished {
  readonly outstanding: readonly Outstanding[]
  /** Deferred messages that were already delivered although `next` has not reached their position. */
  readonly ahead: readonly number[]
}

export function pack({ outstanding, ahead }: Unfinished): Buffer {
  const bytes = Buffer.allocUnsafe(4 + outstanding.length * entrySize + ahead.length * positionSize)
  let at = bytes.writeUInt32BE(outstanding.length, 0)
  for (const { position, attempts, until } of outstanding) {
    at = bytes.writeUIntBE(position, at, positionSize)
    at = bytes.writeUInt16BE(attempts, at)
    at = bytes.writeUIntBE(until, at, positionSize)
  }
  for (const position of ahead) at = bytes.writeUIntBE(position, at, positionSize)
  return bytes
}

export function unpack(bytes: Buffer): Unfinished {
  const outstanding: Outstanding[] = []
  const ahead: number[] = []
  const end = 4 + bytes.readUInt32BE(0) * entrySize
  for (let at = 4; at < end; at += entrySize) {
    outstanding.push({
      position: bytes.readUIntBE(at, positionSize),
      attempts: bytes.readUInt16BE(at + positionSize),
      until: bytes.readUIntBE(at + positionSize + 2, positionSize),
    })
  }
  for (let at = end; at < bytes.length; at += positionSize) ahead.push(bytes.readUIntBE(at, positionSize))
  return { outstanding, ahead }
}

/** Six bytes: positions up to 2^48, and milliseconds until the year 10889. */
const positionSize = 6
const entrySize = positionSize + 2 + positionSize
