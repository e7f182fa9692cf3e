/** Asks the browser for a passkey. Bytes are base64url in the API; not every browser can convert them itself. */
import { ApiError, api, ask } from '../../api/client.js'
import { passkeyTexts } from '../../texts/passkeys.js'

type Json = Record<string, unknown>

export const hasPasskeys = 'PublicKeyCredential' in window

/** Answers the options of the API with a new passkey. */
export function createPasskey(json: Json): Promise<Json> {
  const options = json as unknown as PublicKeyCredentialCreationOptionsJSON
  const publicKey = {
    ...options,
    challenge: bytesOf(options.challenge),
    user: { ...options.user, id: bytesOf(options.user.id) },
    excludeCredentials: options.excludeCredentials?.map((each) => ({ ...each, id: bytesOf(each.id) })),
  }
  return answer(navigator.credentials.create({ publicKey: publicKey as PublicKeyCredentialCreationOptions }))
}

export interface Proof {
  readonly password: string
  readonly code?: string
  readonly passkey?: Json
}

/** The password, and the code or else a passkey of the account, once there is one. */
export async function proofOf(password: string, code: string, passkeys: number): Promise<Proof> {
  if (code.trim() !== '') return { password, code: code.trim() }
  if (passkeys === 0) return { password }
  const { public_key } = await ask(api.POST('/v4/user/passkeys/confirmation'))
  const options = public_key as unknown as PublicKeyCredentialRequestOptionsJSON
  const publicKey = {
    ...options,
    challenge: bytesOf(options.challenge),
    allowCredentials: options.allowCredentials?.map((each) => ({ ...each, id: bytesOf(each.id) })),
  }
  const passkey = await answer(navigator.credentials.get({ publicKey: publicKey as PublicKeyCredentialRequestOptions }))
  return { password, passkey }
}

const parts = ['clientDataJSON', 'attestationObject', 'authenticatorData', 'signature', 'userHandle'] as const

async function answer(asked: Promise<Credential | null>): Promise<Json> {
  const credential = (await asked.catch(notUsed)) as PublicKeyCredential
  const given = credential.response as AuthenticatorAttestationResponse & AuthenticatorAssertionResponse
  const texts = parts.flatMap((part) => (given[part] ? [[part, textOf(given[part])]] : []))
  const response = { ...Object.fromEntries(texts), transports: given.getTransports?.() }
  return { id: credential.id, rawId: credential.id, type: credential.type, clientExtensionResults: {}, response }
}

function notUsed(error: DOMException): never {
  const { problems } = passkeyTexts
  const names: Readonly<Record<string, string>> = { InvalidStateError: problems.known, SecurityError: problems.address }
  throw new ApiError(400, 'PASSKEY_NOT_USED', names[error.name] ?? problems.notUsed, [])
}

function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (character) => character.charCodeAt(0))
}

function textOf(buffer: ArrayBuffer): string {
  const text = btoa(String.fromCharCode(...new Uint8Array(buffer)))
  return text.replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '')
}
