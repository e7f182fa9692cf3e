import {
  archived,
  createdAt,
  createdBy,
  groupGuid,
  json,
  key,
  moved,
  number,
  optional,
  organizationGuid,
  text,
  time,
} from './table.js'

const name = key(text('The host name.'))

export const domains = {
  built_in_domains: archived(
    'everybody',
    'The domains of the service itself. Addresses begin with the key of a domain.',
    {
      key: key(text('The permanent first part of its addresses.')),
      name: text('The name it is served under.'),
      former_names: text('Earlier names, which still work; one per line.'),
      position: optional(number('Its place among the configured domains; empty when it is not configured.')),
    },
  ),
  domains: archived('organization', 'Branded domains of organizations.', {
    name,
    organization_guid: organizationGuid,
    root_url: optional(text('Where the bare domain leads.')),
    not_found_url: optional(text('Where unknown addresses lead.')),
    created_at: createdAt,
    created_by: createdBy,
  }),
  pending_domains: archived('organization', 'Domains whose ownership is not proven yet.', {
    name,
    organization_guid: key(organizationGuid),
    group_guids: json<readonly string[]>('The groups that will use it.'),
    root_url: optional(text('Where the bare domain will lead.')),
    not_found_url: optional(text('Where unknown addresses will lead.')),
    created_at: createdAt,
    created_by: createdBy,
  }),
  group_domains: archived('group and domain', 'Which groups use which domains.', {
    group_guid: key(groupGuid),
    domain: name,
  }),
  removed_domains: archived('organization', 'Removed domains, whose links still belong to the organization.', {
    name,
    organization_guid: organizationGuid,
    removed_at: time('When it was removed.'),
  }),
  // A single row, so the database needs no key.
  domain_changes: moved('nobody', 'a counter for caches', { version: key(number()) }),
}
