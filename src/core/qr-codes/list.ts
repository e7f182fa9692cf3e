/** The QR codes of a group, newest first and page by page, and one change to many of them. */
import { type Actor, requireGroup, requireWriter } from '../accounts/actor.js'
import { type BulkAction, linksPerChange, readBulkChange } from '../links/bulk.js'
import { type ItemListDeps, type ItemListInput, itemFilter, type Listed, pageReader } from '../links/paging.js'
import { tooManyTagsPerGroup, tooManyTagsPerLink } from '../links/tags.js'
import { isGuid } from '../values/guid.js'
import { invalid, quoted, Refusal } from '../values/refusal.js'
import type { Clock } from '../values/time.js'
import type { QrCode } from './qr-code.js'
import type { QrCodeStore } from './qr-code-store.js'

export interface ListQrCodesDeps extends ItemListDeps {
  readonly qrCodes: Pick<QrCodeStore, 'page'>
}

export const qrCodeTypes = ['shortlink', 'long_url'] as const

export interface ListQrCodesInput extends ItemListInput {
  readonly creatingLogins?: readonly string[] | undefined
  readonly types?: readonly (typeof qrCodeTypes)[number][] | undefined
  readonly hasRenderCustomizations?: boolean | undefined
  readonly isGs1?: boolean | undefined
}

export async function listQrCodes(
  deps: ListQrCodesDeps,
  actor: Actor,
  groupGuid: string,
  input: ListQrCodesInput,
): Promise<Listed<QrCode>> {
  requireGroup(actor, groupGuid)
  const readPage = pageReader(input)
  const types = new Set(input.types)
  const filter = {
    ...itemFilter(deps, input),
    makers: input.creatingLogins,
    standAlone: types.size === 1 ? types.has('long_url') : undefined,
    designed: input.hasRenderCustomizations,
    gs1: input.isGs1,
  }
  return readPage((after, size) => deps.qrCodes.page({ groupGuid, filter, after, size }))
}

export interface ChangeQrCodesDeps {
  readonly qrCodes: Pick<QrCodeStore, 'changeAll'>
  readonly clock: Clock
}

export interface ChangeQrCodesInput extends BulkAction {
  readonly ids: readonly string[]
}

/** All or nothing; answers the ids of the codes. */
export async function changeQrCodes(
  deps: ChangeQrCodesDeps,
  actor: Actor,
  groupGuid: string,
  input: ChangeQrCodesInput,
): Promise<readonly string[]> {
  requireWriter(actor, groupGuid)
  const change = readBulkChange(input)
  const { ids } = input
  if (ids.length === 0 || ids.length > linksPerChange) {
    throw invalid('qrCodeIds', `Send the ids of 1 to ${linksPerChange} QR codes.`)
  }
  const odd = ids.find((id) => !isGuid(id))
  if (odd !== undefined) throw noneChanged('NOT_FOUND', `There is no QR code ${quoted(odd)}.`)
  const context = { login: actor.login, at: deps.clock.now() }
  const answer = await deps.qrCodes.changeAll(groupGuid, ids, change, context)
  switch (answer.outcome) {
    case 'changed':
      return answer.ids
    case 'missing':
      throw noneChanged('NOT_FOUND', `There is no QR code ${quoted(answer.item)}.`)
    case 'gone':
      throw noneChanged('GONE', `The QR code ${answer.item} was deleted.`)
    case 'elsewhere':
      throw noneChanged('FORBIDDEN', `The QR code ${answer.item} is not one of this group's.`)
    case 'too-many-tags':
      throw answer.on === 'link' ? tooManyTagsPerLink('addTags') : tooManyTagsPerGroup('addTags')
  }
}

function noneChanged(code: 'NOT_FOUND' | 'GONE' | 'FORBIDDEN', message: string): Refusal {
  return new Refusal(code, `${message} None of the codes was changed.`, { resource: 'qr_codes' })
}
