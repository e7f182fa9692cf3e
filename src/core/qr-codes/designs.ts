/** The design of a QR code: before it is saved its logo must be there, and scanners must be able to read it. */
import type { Image } from '../images/image.js'
import type { ImageStore } from '../images/image-store.js'
import type { LogoPlace, Logos } from '../images/logos.js'
import { plainDesign, type QrDesign } from '../qr-design/design.js'
import type { QrAssets } from '../qr-design/draw.js'
import { requireScannable } from '../qr-design/scannable.js'
import { isGuid } from '../values/guid.js'
import { invalid, type Refusal } from '../values/refusal.js'
import { type ContentDeps, contentOf } from './content.js'
import type { QrCode } from './qr-code.js'

export interface LogoDeps {
  readonly images: Pick<ImageStore, 'find'>
  readonly logos: Logos
}

export type DesignDeps = ContentDeps & LogoDeps

/** As it is stored: undefined for a plain one. */
export async function readDesignOf(
  deps: DesignDeps,
  organizationGuid: string,
  design: QrDesign | undefined,
  code: Pick<QrCode, 'address' | 'gs1'>,
): Promise<QrDesign | undefined> {
  if (design === undefined || JSON.stringify(design) === JSON.stringify(plainDesign)) return undefined
  await requireUsable(deps, organizationGuid, design, contentOf(deps, code))
  return design
}

/** Refuses a design that could not be saved. */
export async function requireUsable(
  deps: LogoDeps,
  organizationGuid: string,
  design: QrDesign,
  content: string,
): Promise<void> {
  const image = await logoImage(deps, design)
  if (design.logo && image?.organizationGuid !== organizationGuid) throw noSuchImage()
  requireScannable(content, design)
}

/** What is drawn besides the code itself. */
export async function assetsOf(deps: LogoDeps, design: QrDesign, place: LogoPlace): Promise<QrAssets> {
  const image = await logoImage(deps, design)
  const logo = image && (await deps.logos.of(image, place))
  return logo ? { logo } : {}
}

async function logoImage({ images }: LogoDeps, { logo }: QrDesign): Promise<Image | undefined> {
  return logo && isGuid(logo.imageGuid) ? images.find(logo.imageGuid) : undefined
}

export function noSuchImage(): Refusal {
  return invalid('renderCustomizations.logo.imageGuid', 'There is no such image in this organization.')
}
