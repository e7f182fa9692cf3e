/** The QR codes of a group, newest first and page by page, and one change to many of them. */
import { type Actor, requireGroup, requireWriter } from '../accounts/actor.js'
import type { Domains } from '../domains/domains.js'
import { type BulkAction, linksPerChange, readBulkChange } from '../links/bulk.js'
import { tooManyTagsPerGroup, tooManyTagsPerLink } from '../links/link-fields.js'
import { cursorOf, type PagingInput, pageStart } from '../links/paging.js'
import { parseDestination, wordsOf } from '../links/search.js'
import { isGuid } from '../values/guid.js'
import { invalid, quoted, Refusal } from '../values/refusal.js'
import type { Clock } from '../values/time.js'
import type { QrCode } from './qr-code.js'
import type { QrCodeFilter, QrCodeStore } from './qr-code-store.js'

export interface ListQrCodesDeps {
  readonly qrCodes: Pick<QrCodeStore, 'page'>
  readonly domains: Pick<Domains, 'keyOf'>
  readonly clock: Clock
}

export const qrCodeTypes = ['shortlink', 'long_url'] as const
type QrCodeType = (typeof qrCodeTypes)[number]

/** What is not given does not matter. */
export interface ListQrCodesInput extends PagingInput {
  readonly query?: string | undefined
  readonly hostnamePathQuery?: string | undefined
  /** Epoch seconds. */
  readonly createdBefore?: number | undefined
  readonly createdAfter?: number | undefined
  readonly domain?: string | undefined
  readonly archived?: boolean | undefined
  readonly creatingLogins?: readonly string[] | undefined
  readonly types?: readonly QrCodeType[] | undefined
  readonly hasRenderCustomizations?: boolean | undefined
  readonly isGs1?: boolean | undefined
  readonly isExpired?: boolean | undefined
  readonly hasExpiration?: boolean | undefined
  readonly hasDynamicRouting?: boolean | undefined
  readonly tags?: readonly string[] | undefined
}

export interface ListedQrCodes {
  readonly codes: readonly QrCode[]
  /** Continues the list; undefined at its end. */
  readonly searchAfter: string | undefined
}

export async function listQrCodes(
  deps: ListQrCodesDeps,
  actor: Actor,
  groupGuid: string,
  input: ListQrCodesInput,
): Promise<ListedQrCodes> {
  requireGroup(actor, groupGuid)
  const findStart = pageStart(input)
  const filter = filterFor(deps, input)
  const after = await findStart(async (position, size) => {
    const { codes, more } = await deps.qrCodes.page({ groupGuid, filter, after: position, size })
    return { items: codes, more }
  })
  if (after === 'end') return { codes: [], searchAfter: undefined }
  const { codes, more } = await deps.qrCodes.page({ groupGuid, filter, after, size: input.size })
  const last = codes.at(-1)
  return { codes, searchAfter: more && last ? cursorOf(last) : undefined }
}

function filterFor(deps: ListQrCodesDeps, input: ListQrCodesInput): QrCodeFilter {
  const types = new Set(input.types)
  return {
    words: input.query === undefined ? [] : wordsOf(input.query),
    destination: input.hostnamePathQuery === undefined ? undefined : parseDestination(input.hostnamePathQuery),
    createdBefore: input.createdBefore === undefined ? undefined : input.createdBefore * 1000,
    createdAfter: input.createdAfter === undefined ? undefined : input.createdAfter * 1000,
    domain: input.domain === undefined ? undefined : deps.domains.keyOf(input.domain),
    archived: input.archived,
    makers: input.creatingLogins,
    standAlone: types.size === 1 ? types.has('long_url') : undefined,
    designed: input.hasRenderCustomizations,
    gs1: input.isGs1,
    expired: input.isExpired === undefined ? undefined : { at: deps.clock.now(), wanted: input.isExpired },
    expires: input.hasExpiration,
    routing: input.hasDynamicRouting,
    tags: input.tags,
  }
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
  const answer = await deps.qrCodes.changeAll(groupGuid, ids, change, deps.clock.now())
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
