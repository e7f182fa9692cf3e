import { sampleOf } from '../../lib/sample.builder.js'
import type { LinkDraft } from './link.js'

/** A draft as ada makes it in the group Bgroup00001, on the default domain of the tests; or with other fields. */
export const aLinkDraft = sampleOf<LinkDraft>({
  groupGuid: 'Bgroup00001',
  organizationGuid: 'Oorganization',
  domain: 'sho.rt',
  longUrl: 'https://example.com/',
  createdBy: 'ada',
  clientId: undefined,
  at: 1_000,
})
