import type { LinkDraft } from './link.js'

/** A draft as ada makes it in the group Bgroup00001, on the default domain of the tests; or with other fields. */
export function aLinkDraft(changes: Partial<LinkDraft> = {}): LinkDraft {
  return {
    groupGuid: 'Bgroup00001',
    organizationGuid: 'Oorganization',
    domain: 'sho.rt',
    longUrl: 'https://example.com/',
    createdBy: 'ada',
    clientId: undefined,
    at: 1_000,
    ...changes,
  }
}
