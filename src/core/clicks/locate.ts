/** Where the visitor is, as far as an address tells. The address itself goes no further than this and visitor.ts. */

export interface Geography {
  /** What is known about a public address, written plainly (`203.0.113.7`, `2001:db8::1`). */
  place(address: string): Place
}

/** Empty where nothing is known. */
export interface Place {
  /** Two letters, upper case. */
  readonly country: string
  readonly region: string
  readonly subregion: string
  readonly city: string
}

export const unknownPlace: Place = { country: '', region: '', subregion: '', city: '' }

export function placeOf(geography: Geography, address: string): Place {
  if (address === '' || isPrivate(address)) return unknownPlace
  return geography.place(address)
}

/**
 * Networks that are nowhere: loopback, private, shared, link-local, multicast (RFC 6890 and its updates). By hand,
 * because node:net's BlockList takes 4 us an address, more than finding the place.
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
