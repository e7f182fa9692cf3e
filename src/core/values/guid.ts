import { randomBase62 } from './random.js'

/**
 * The first letter of the guids of each kind; no two kinds share one. Former invitations begin with `I`, former changes of
 * links with `M`, and entries of audit logs and tokens with `L` and `T`.
 * docs/api/README.md#ids-guids-and-references lists them.
 */
export const guidLetters = {
  'api-key': 'Y',
  annotation: 'Z',
  application: 'A',
  audit: 'l',
  'bulk-job': 'J',
  campaign: 'C',
  channel: 'H',
  deeplink: 'R',
  group: 'B',
  image: 'I',
  invitation: 'N',
  keyword: 'K',
  'link-change': 'm',
  organization: 'O',
  passkey: 'k',
  'qr-code': 'Q',
  'qr-image': 'P',
  site: 'M',
  'site-block': 'L',
  'site-redirect': 'r',
  'site-template': 'T',
  token: 't',
  'utm-template': 'U',
  view: 'V',
  webhook: 'W',
  delivery: 'D',
  event: 'E',
} as const

export type GuidKind = keyof typeof guidLetters

export function newGuid(kind: GuidKind): string {
  return guidLetters[kind] + randomBase62(secretKinds.has(kind) ? secretLength : 10)
}

// 131 bits: nobody guesses the guid of an image or of the picture of a QR code, which is all it takes to fetch it.
const secretLength = 22
const secretKinds: ReadonlySet<GuidKind> = new Set(['image', 'qr-image'])

export const guidShape = /^[0-9A-Za-z]{1,64}$/

/** Whether the text has the syntax of a guid; checked before a store lookup. */
export function isGuid(text: string): boolean {
  return guidShape.test(text)
}
