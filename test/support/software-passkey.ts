/** An authenticator for tests, which signs with real keys: what it answers is what a browser would send as JSON. */
import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'

interface Options {
  readonly challenge: string
  readonly rp?: { readonly id: string }
  readonly rpId?: string
  readonly user?: { readonly id: string }
}

/** What an attacker, or an odd authenticator, changes in an answer. */
export interface Twist {
  readonly origin?: string
  readonly rpId?: string
  readonly type?: string
  readonly challenge?: string
  readonly id?: string
  readonly userHandle?: string | null
  /** User present, user verified. */
  readonly flags?: number
  readonly counter?: number
  readonly signature?: string
  readonly attestation?: { readonly fmt: string; readonly attStmt: Cbor }
}

type Cbor = number | string | Buffer | readonly Cbor[] | ReadonlyMap<number | string, Cbor>

const present = 0x01
const verified = 0x04
const hasKey = 0x40

export class SoftwarePasskey {
  readonly id = randomBytes(16).toString('base64url')
  /** Stays 0, as that of a passkey that is synchronized between devices. */
  counter = 0
  userHandle: string | undefined
  readonly #origin: string
  readonly #privateKey: KeyObject
  readonly #publicKey: Cbor

  constructor(origin: string, algorithm: 'ES256' | 'RS256' = 'ES256') {
    this.#origin = origin
    const { privateKey, publicKey } =
      algorithm === 'ES256'
        ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
        : generateKeyPairSync('rsa', { modulusLength: 2048 })
    const { x = '', y = '', n = '', e = '' } = publicKey.export({ format: 'jwk' })
    const bytes = (text: string) => Buffer.from(text, 'base64url')
    this.#privateKey = privateKey
    // COSE: 1 key type, 3 algorithm, then the parts of the key.
    this.#publicKey =
      algorithm === 'ES256'
        ? new Map<number, Cbor>([
            [1, 2],
            [3, -7],
            [-1, 1],
            [-2, bytes(x)],
            [-3, bytes(y)],
          ])
        : new Map<number, Cbor>([
            [1, 3],
            [3, -257],
            [-1, bytes(n)],
            [-2, bytes(e)],
          ])
  }

  /** Answers `navigator.credentials.create`. */
  create(options: Options, twist: Twist = {}) {
    this.userHandle = options.user?.id
    const length = Buffer.alloc(2)
    const id = Buffer.from(this.id, 'base64url')
    length.writeUInt16BE(id.length)
    const credential = Buffer.concat([Buffer.alloc(16), length, id, cbor(this.#publicKey)])
    const flags = (twist.flags ?? present | verified) | hasKey
    const authData = Buffer.concat([this.#authenticatorData({ ...options, ...twist }, flags, twist), credential])
    const { fmt, attStmt } = twist.attestation ?? { fmt: 'none', attStmt: new Map() }
    const attestation = new Map<string, Cbor>([
      ['fmt', fmt],
      ['attStmt', attStmt],
      ['authData', authData],
    ])
    const attestationObject = cbor(attestation).toString('base64url')
    const clientDataJSON = this.#clientData('webauthn.create', options, twist).toString('base64url')
    return this.#credential({ clientDataJSON, attestationObject, transports: ['internal', 'made-up'] }, twist)
  }

  /** Answers `navigator.credentials.get`. */
  get(options: Options, twist: Twist = {}) {
    const clientData = this.#clientData('webauthn.get', options, twist)
    const data = this.#authenticatorData({ ...options, ...twist }, twist.flags ?? present | verified, twist)
    const signed = createSign('sha256').update(data).update(sha256(clientData)).sign(this.#privateKey)
    const userHandle = twist.userHandle === undefined ? this.userHandle : twist.userHandle
    return this.#credential(
      {
        clientDataJSON: clientData.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: twist.signature ?? signed.toString('base64url'),
        userHandle,
      },
      twist,
    )
  }

  #credential(response: object, { id = this.id }: Twist) {
    return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response }
  }

  #clientData(type: string, options: Options, twist: Twist): Buffer {
    const { challenge = options.challenge, origin = this.#origin } = twist
    return Buffer.from(JSON.stringify({ type: twist.type ?? type, challenge, origin, crossOrigin: false }))
  }

  #authenticatorData({ rp, rpId = rp?.id ?? '' }: Partial<Options>, flags: number, twist: Twist): Buffer {
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(twist.counter ?? this.counter)
    return Buffer.concat([sha256(Buffer.from(rpId)), Buffer.from([flags]), counter])
  }
}

function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest()
}

/** RFC 8949, of what is needed here. */
function cbor(value: Cbor): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value])
  if (value instanceof Map) {
    return Buffer.concat([head(5, value.size), ...[...value].flatMap(([key, each]) => [cbor(key), cbor(each)])])
  }
  const items = value as readonly Cbor[]
  return Buffer.concat([head(4, items.length), ...items.map(cbor)])
}

function head(major: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(major << 5) | length])
  if (length < 256) return Buffer.from([(major << 5) | 24, length])
  return Buffer.from([(major << 5) | 25, length >> 8, length & 255])
}
