/** Finding a QR code by its id, for those who may see or change it. */
import { type Actor, requireGroup, requireWriter } from '../accounts/actor.js'
import { isGuid } from '../values/guid.js'
import { Refusal } from '../values/refusal.js'
import type { QrCode } from './qr-code.js'
import type { QrCodeStore } from './qr-code-store.js'

export interface ReadQrCodeDeps {
  readonly qrCodes: Pick<QrCodeStore, 'get'>
}

/** For a member of its group. Archived and expired ones are still readable. */
export async function readQrCode(deps: ReadQrCodeDeps, actor: Actor, id: string): Promise<QrCode> {
  const code = await find(deps, id)
  // Access before state: a stranger does not learn that a code was deleted.
  requireGroup(actor, code.groupGuid)
  return undeleted(code)
}

/** The same for somebody who is going to change it. */
export async function writableQrCode(deps: ReadQrCodeDeps, actor: Actor, id: string): Promise<QrCode> {
  const code = await find(deps, id)
  requireWriter(actor, code.groupGuid)
  return undeleted(code)
}

/** The same for operations that document no 410: a deleted code is not found. */
export async function existingQrCode(deps: ReadQrCodeDeps, actor: Actor, id: string): Promise<QrCode> {
  const code = await find(deps, id)
  requireWriter(actor, code.groupGuid)
  if (code.deletedAt !== undefined) throw notFound()
  return code
}

async function find({ qrCodes }: ReadQrCodeDeps, id: string): Promise<QrCode> {
  const code = isGuid(id) ? await qrCodes.get(id) : undefined
  if (!code) throw notFound()
  return code
}

function undeleted(code: QrCode): QrCode {
  if (code.deletedAt !== undefined) throw gone()
  return code
}

export function notFound(): Refusal {
  return new Refusal('NOT_FOUND', 'There is no such QR code.', { resource: 'qr_codes' })
}

export function gone(): Refusal {
  return new Refusal('GONE', 'This QR code was deleted.', { resource: 'qr_codes' })
}
