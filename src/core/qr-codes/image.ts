/** Pictures of QR codes: of one that is kept, of any content, and of a design before it is saved. */
import type { GroupMembership } from '../accounts/actor.js'
import { contentText, type QrContent } from '../qr-contents/content.js'
import { plainDesign, type QrDesign } from '../qr-design/design.js'
import type { QrImageRequest, QrImages } from '../qr-design/qr-images.js'
import { requireScannable } from '../qr-design/scannable.js'
import { type ContentDeps, contentOf } from './content.js'
import { assetsOf, type LogoDeps, requireUsable } from './designs.js'
import type { QrCode } from './qr-code.js'

export interface QrImageDeps extends ContentDeps, LogoDeps {
  readonly qrImages: QrImages
}

export interface Picture {
  readonly format: QrImageRequest['format']
  /** Pixels along the longer side. */
  readonly size: number
}

/** Pixels (docs/api/qr-codes.md#images). */
export const imageSize = { least: 64, most: 4096, preset: 1024 }

export async function drawQrCode(deps: QrImageDeps, code: QrCode, picture: Picture): Promise<Uint8Array> {
  const { design = plainDesign } = code
  const assets = () => assetsOf(deps, design, picture)
  return deps.qrImages.image({ content: contentOf(deps, code), design, assets, ...picture })
}

export async function drawStatic(
  deps: Pick<QrImageDeps, 'qrImages'>,
  input: string | QrContent,
  design: QrDesign = plainDesign,
  picture: Picture,
): Promise<Uint8Array> {
  const content = contentText(input)
  requireScannable(content, design)
  return deps.qrImages.staticImage({ content, design, ...picture })
}

/** As a code with this design would look; refused as it would be. Nothing is kept. */
export async function drawPreview(
  deps: Pick<QrImageDeps, 'qrImages'> & LogoDeps,
  { organizationGuid }: Pick<GroupMembership, 'organizationGuid'>,
  input: string,
  design: QrDesign,
  picture: Picture,
): Promise<Uint8Array> {
  const content = contentText(input)
  await requireUsable(deps, organizationGuid, design, content)
  return deps.qrImages.staticImage({ content, design, assets: () => assetsOf(deps, design, picture), ...picture })
}
