import { HOTP, Secret } from 'otpauth'

/** What an authenticator app shows in a time step of thirty seconds, counted from 1970. */
export function codeAt(secret: string, step: number): string {
  return HOTP.generate({ secret: Secret.fromBase32(secret), counter: step })
}
