/** The visitor's location, looked up by IP address. Only this file and visitor.ts see the IP address. */
import type { TextsOf } from './dimensions.js'

export interface Geography {
  /** The location of a public IP address in plain form (`203.0.113.7`, `2001:db8::1`). */
  location(address: string): Location
}

/** Empty strings where unknown; the country has two capital letters. */
export type Location = TextsOf<'place'>

export const unknownLocation: Location = { country: '', region: '', subregion: '', city: '' }

export function locationOf(geography: Geography, address: string): Location {
  if (address === '' || isPrivate(address)) return unknownLocation
  return geography.location(address)
}

/**
 * Networks without a location: loopback, private, shared, link-local, multicast (RFC 6890 and updates). Written by hand,
 * because node:net's BlockList takes 4 us per address, more than the lookup itself.
 */
function isPrivate(address: string): boolean {
  if (address.includes(':')) return /^(?:::1?$|f[cdf]|fe[89ab])/.test(address)
  const first = Number.parseInt(address, 10)
  if (first === 0 || first === 10 || first === 127 || first >= 224) return true
  if (first !== 100 && first !== 169 && first !== 172 && first !== 192) return false
  const second = Number.parseInt(address.slice(address.indexOf('.') + 1), 10)
  if (first === 100) return second >= 64 && second < 128
  if (first === 172) return second >= 16 && second < 32
  return (first === 192 && second === 168) || (first === 169 && second === 254)
}
