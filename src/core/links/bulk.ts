/** One change to many links of a group, all or nothing (docs/api/links.md#bulk-edit). */
import { type Actor, requireWriter } from '../accounts/actor.js'
import type { Domains } from '../domains/domains.js'
import { parseAddress } from '../values/address.js'
import { invalid, quoted, Refusal } from '../values/refusal.js'
import type { Clock } from '../values/time.js'
import type { BulkChange, LinkStore } from './link-store.js'
import { distinctTags, readTags, tooManyTagsPerGroup, tooManyTagsPerLink } from './tags.js'

export interface BulkDeps {
  readonly links: LinkStore
  readonly domains: Domains
  readonly clock: Clock
}

export interface BulkInput extends BulkAction {
  /** Any address of each link. */
  readonly links: readonly string[]
}

export interface BulkAction {
  readonly action: 'archive' | 'edit_tags'
  readonly archive: boolean | undefined
  readonly addTags: readonly string[] | undefined
  readonly removeTags: readonly string[] | undefined
}

export const linksPerChange = 100

/** Returns the ids of the changed links. */
export async function changeLinks(
  deps: BulkDeps,
  actor: Actor,
  groupGuid: string,
  input: BulkInput,
): Promise<readonly string[]> {
  requireWriter(actor, groupGuid)
  const change = readBulkChange(input)
  const addresses = readAddresses(deps, input.links)
  const context = { login: actor.login, clientId: actor.clientId, at: deps.clock.now() }
  const answer = await deps.links.changeAll(groupGuid, addresses, change, context)
  switch (answer.outcome) {
    case 'changed':
      return answer.ids
    case 'missing':
    case 'gone':
      throw notFound(deps.domains.shown(answer.item))
    case 'elsewhere':
      throw notOfGroup(deps.domains.shown(answer.item))
    case 'too-many-tags':
      throw answer.on === 'link' ? tooManyTagsPerLink('addTags') : tooManyTagsPerGroup('addTags')
  }
}

/** The change of a bulk request, for links or QR codes. */
export function readBulkChange(input: BulkAction): BulkChange {
  const addTags = readTags(input.addTags ?? [], 'addTags')
  const removeTags = distinctTags(input.removeTags ?? [], 'removeTags')
  return input.action === 'archive' ? archiving(input) : editingTags(addTags, removeTags)
}

function archiving({ archive }: BulkAction): BulkChange {
  if (archive === undefined) throw invalid('archive', 'Send "archive": true to archive them, or false to restore them.')
  return { archived: archive }
}

function editingTags(addTags: readonly string[], removeTags: readonly string[]): BulkChange {
  if (addTags.length + removeTags.length === 0) {
    throw invalid('addTags', 'Send at least one tag in add_tags or remove_tags.')
  }
  return { addTags, removeTags }
}

function readAddresses({ domains }: Pick<BulkDeps, 'domains'>, links: readonly string[]): readonly string[] {
  if (links.length === 0 || links.length > linksPerChange) {
    throw invalid('links', `Send the ids of 1 to ${linksPerChange} short links.`, 'shortlinks')
  }
  return links.map((text) => {
    const written = parseAddress(text)
    if (!written) throw invalid('links', 'Send each short link as <domain>/<hash>.', 'shortlinks')
    const address = domains.addressOf(written.domain, written.backHalf)
    if (address === undefined) throw notFound(text)
    return address
  })
}

/** Also for deleted links: the operation documents no 410. */
function notFound(address: string): Refusal {
  const message = `There is no short link ${quoted(address)}. None of the links was changed.`
  return new Refusal('NOT_FOUND', message, { resource: 'shortlinks' })
}

function notOfGroup(address: string): Refusal {
  const message = `The short link ${address} belongs to another group. None of the links was changed.`
  return new Refusal('FORBIDDEN', message, { resource: 'shortlinks' })
}
