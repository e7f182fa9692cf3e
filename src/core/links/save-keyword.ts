/** A keyword for a link: a new one, or one that is taken from another link when the caller says so. */
import type { Actor } from '../accounts/actor.js'
import type { WrittenAddress } from '../values/address.js'
import { addKeyword, type KeywordDeps, moveKeyword } from './keywords.js'
import type { Link } from './link.js'
import { namedLink } from './read.js'

export interface SaveKeywordInput extends WrittenAddress {
  readonly shortlinkId: string
  /** Move a keyword that leads elsewhere. */
  readonly overwrite: boolean
}

export interface SavedKeyword {
  readonly link: Link
  /** The keyword did not exist before. */
  readonly created: boolean
}

/** What it finds is a fast path only: the store settles races for one keyword. */
export async function saveKeyword(deps: KeywordDeps, actor: Actor, input: SaveKeywordInput): Promise<SavedKeyword> {
  const { domain, backHalf: keyword, shortlinkId, overwrite } = input
  const link = await namedLink(deps, actor, shortlinkId)
  const address = deps.domains.addressOf(domain, keyword)
  const held = address === undefined ? undefined : await deps.links.getKeyword(address)
  if (held?.link.id === link.id) return { link: held.link, created: false }
  if (!held || !overwrite) {
    return { link: await addKeyword(deps, actor, link, { keyword, domain }), created: true }
  }
  const moved = await moveKeyword(deps, actor, held, shortlinkId)
  return { link: moved.link, created: false }
}
