/**
 * The one QR code of a short link that older clients know (docs/api/qr-codes.md#older-routes): the newest of its codes, or a
 * plain one that is not stored.
 */
import { type Actor, requireWriter } from '../accounts/actor.js'
import type { FoundLink } from '../links/read.js'
import { plainDesign, type QrDesign } from '../qr-design/design.js'
import { requireScannable } from '../qr-design/scannable.js'
import { Refusal } from '../values/refusal.js'
import { contentOf } from './content.js'
import { type CreateQrCodeDeps, createQrCode } from './create.js'
import { assetsOf } from './designs.js'
import type { Picture, QrImageDeps } from './image.js'
import type { QrCode } from './qr-code.js'
import type { ReadQrCodeDeps } from './read.js'
import { type UpdateQrCodeDeps, updateQrCode } from './update.js'

/** What older clients say about the look; what is left out stays as it is. */
export interface LinkCodeInput {
  /** `#rrggbb` */
  readonly color?: string | undefined
  readonly logoImageGuid?: string | undefined
  readonly brand?: boolean | undefined
  readonly archived?: boolean | undefined
}

export async function newestCode({ qrCodes }: ReadQrCodeDeps, { link }: FoundLink): Promise<QrCode | undefined> {
  const [newest] = link.qrCodeIds
  return newest === undefined ? undefined : qrCodes.get(newest)
}

export async function addLinkCode(
  deps: CreateQrCodeDeps,
  actor: Actor,
  { link, address }: FoundLink,
  input: LinkCodeInput,
): Promise<QrCode> {
  const destination = { shortlinkId: deps.domains.shown(address) }
  const design = designFrom(plainDesign, input)
  const group = requireWriter(actor, link.groupGuid)
  return (await createQrCode(deps, actor, group, { destination, design, archived: input.archived })).code
}

export async function changeLinkCode(
  deps: UpdateQrCodeDeps & ReadQrCodeDeps,
  actor: Actor,
  found: FoundLink,
  input: LinkCodeInput,
): Promise<QrCode> {
  const code = await newestCode(deps, found)
  if (!code)
    throw new Refusal('NOT_FOUND', 'This short link has no QR code. Create one first.', { resource: 'qr_codes' })
  const design = designFrom(code.design ?? plainDesign, input)
  return updateQrCode(deps, actor, code, { design, archived: input.archived })
}

/** With the color of the request, if it has one. */
export async function drawLinkCode(
  deps: QrImageDeps,
  { address }: FoundLink,
  code: QrCode | undefined,
  input: LinkCodeInput,
  picture: Picture,
): Promise<Uint8Array> {
  const design = designFrom(code?.design ?? plainDesign, input)
  const content = contentOf(deps, code ?? { address, gs1: undefined })
  // A design that is stored was checked before.
  if (input.color !== undefined) requireScannable(content, design)
  return deps.qrImages.image({ content, design, assets: () => assetsOf(deps, design, picture), ...picture })
}

function designFrom(design: QrDesign, { color, logoImageGuid, brand }: LinkCodeInput): QrDesign {
  return {
    ...design,
    ...(color !== undefined && { dotPatternColor: color.toLowerCase() }),
    ...(logoImageGuid !== undefined && { logo: { imageGuid: logoImageGuid } }),
    ...(brand !== undefined && { branding: { shortlinkBrand: brand } }),
  }
}
