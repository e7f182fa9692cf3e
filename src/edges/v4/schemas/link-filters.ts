/** Query parameters that select short links of a group, and the filter that they mean. */
import { type Static, Type } from 'typebox'
import type { LinkFilterInput } from '../../../core/links/list.js'
import { itemFilterInput, itemFilters } from './item-lists.js'
import { choice, chosen, joinedTexts, separated, text, texts } from './lists.js'

const filters = itemFilters('Links', 'note, back-halves')

export const linkFilters = {
  ...filters.search,
  // An addition to the public API.
  domain: text('Links on this short domain', { maxLength: 255 }),
  ...filters.created,
  deeplinks: choice('both', 'Links with deep links'),
  domain_deeplinks: choice('both', 'Links with deep links, on a branded domain'),
  custom_shortlink: choice('both', 'Links with a custom back-half'),
  has_qr_codes: choice('both', 'Links with QR codes'),
  ...filters.expiry,
  campaign_guid: text('Links in this campaign'),
  channel_guid: text('Links in this channel. Overrides all other filters; paging still applies.'),
  ...filters.tags,
  launchpad_ids: texts('Links on this site; repeat it for any of several'),
  encoding_login: joinedTexts('Links created by this user; repeat it for any of several'),
}

const Query = Type.Object(linkFilters)

export function linkFilterInput(query: Static<typeof Query>): LinkFilterInput {
  return {
    ...itemFilterInput(query),
    domain: query.domain,
    deeplinks: chosen(query.deeplinks),
    domainDeeplinks: chosen(query.domain_deeplinks),
    customShortlink: chosen(query.custom_shortlink),
    hasQrCodes: chosen(query.has_qr_codes),
    campaignGuid: query.campaign_guid,
    channelGuid: query.channel_guid,
    launchpadIds: query.launchpad_ids ?? [],
    encodingLogins: separated(query.encoding_login),
  }
}

/** Rankings have archived links too, unless told otherwise, and no pages. All of it is an addition there. */
export const rankedLinkFilters = {
  ...linkFilters,
  archived: choice('both', 'Archived links'),
  channel_guid: text('Links in this channel. Overrides all other filters.'),
}

export function rankedLinkFilterInput(query: Static<typeof Query>): LinkFilterInput {
  return { ...linkFilterInput(query), archived: chosen(query.archived) }
}
