import {
  type BlockType,
  emptyDocument,
  type Site,
  type SiteDocument,
  type SiteRedirect,
} from '../../../core/sites/site.js'
import {
  archived,
  createdBy,
  defaulted,
  flag,
  forgotten,
  groupGuid,
  id,
  json,
  key,
  optional,
  text,
  time,
  times,
} from './table.js'

const siteGuid = text('The site.')

export const sites = {
  sites: archived('group', 'Pages with links, texts and pictures.', {
    guid: id,
    group_guid: groupGuid,
    link_id: text('The hidden link whose addresses are those of the site.'),
    address: text('Where visitors see it; with nothing after the slash at the root of a domain.'),
    status: text<Site['status']>('`active` or `inactive`.'),
    draft: forgotten(json<SiteDocument>('What its owners see.'), JSON.stringify(emptyDocument)),
    live: forgotten(optional(json<SiteDocument>('What visitors see; empty before it is published.'))),
    qr_code_id: optional(text('The QR code that leads to it.')),
    published_at: optional(time('When it was last published.')),
    created_by: createdBy,
    ...times,
  }),
  site_redirects: archived('site', 'Former addresses of sites.', {
    guid: id,
    site_guid: siteGuid,
    address: text('The former address.'),
    status: text<SiteRedirect['status']>('`active`: leads to the present one; `inactive`: leads nowhere.'),
    ...times,
  }),
  site_links: archived('site', 'Links that sites have or had.', {
    link_id: key(text('The link.')),
    site_guid: key(siteGuid),
    type: text<BlockType>('The type of its block.'),
    is_used: defaulted(flag('Whether the draft or the live document has it.')),
    is_live: defaulted(flag('Whether the live document has it.')),
    was_live: defaulted(flag('Whether a live document ever had it.')),
  }),
  site_images: archived('site', 'Which images sites use.', {
    image_guid: key(text('The image.')),
    site_guid: key(siteGuid),
  }),
}
