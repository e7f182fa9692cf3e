/** The design of a QR code before it is saved: one that cannot be scanned is refused, and its logo must be there. */
import { plainDesign, type QrDesign } from '../qr-design/design.js'
import { requireScannable } from '../qr-design/scannable.js'
import { invalid, type Refusal } from '../values/refusal.js'
import { type ContentDeps, contentOf } from './content.js'

export type DesignDeps = ContentDeps

/** As it is kept: undefined for a plain one. */
export async function readDesignOf(
  deps: DesignDeps,
  design: QrDesign | undefined,
  address: string,
): Promise<QrDesign | undefined> {
  if (design === undefined || JSON.stringify(design) === JSON.stringify(plainDesign)) return undefined
  if (design.logo) throw noSuchImage()
  requireScannable(contentOf(deps, address), design)
  return design
}

export function noSuchImage(): Refusal {
  return invalid('renderCustomizations.logo.imageGuid', 'There is no such image in this organization.')
}
