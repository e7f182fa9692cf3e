import { Type } from 'typebox'
import { moment, optionalText } from './fields.js'

/** Users have no guid: the login is the key. */
export const User = Type.Object(
  {
    login: Type.String(),
    name: Type.String(),
    is_active: Type.Boolean(),
    created: moment(),
    modified: moment(),
    is_sso_user: Type.Boolean(),
    emails: Type.Array(Type.Object({ email: Type.String(), is_primary: Type.Boolean(), is_verified: Type.Boolean() })),
    is_2fa_enabled: Type.Boolean(),
    default_group_guid: Type.String({ description: 'The default group for new links' }),
    default_link_privacy: Type.String({ description: '`public` or `private`: what new links are by default' }),
  },
  { $id: 'User' },
)

export const Group = Type.Object(
  {
    references: Type.Object({ organization: Type.String() }, { description: 'URLs of related data' }),
    name: Type.String(),
    guid: Type.String(),
    created: moment(),
    modified: moment(),
    is_active: Type.Boolean(),
    role: Type.String({
      description: 'Role of the caller in the group: `org-admin`, `auditor`, `group-admin`, `member`, `reader`',
    }),
    organization_guid: Type.String(),
    bsds: Type.Array(Type.String(), { description: 'Branded short domains the group may use' }),
    time_zone: optionalText('In which the dashboard shows its numbers; absent if none is set', {
      examples: ['Europe/Berlin'],
    }),
  },
  { $id: 'Group' },
)

export const GroupPreferences = Type.Object(
  {
    group_guid: Type.String(),
    domain_preference: Type.String({ description: 'The default domain for new links' }),
  },
  { $id: 'GroupPreferences' },
)

export const Organization = Type.Object(
  {
    references: Type.Object({ groups: Type.String() }, { description: 'URLs of related data' }),
    name: Type.String(),
    guid: Type.String(),
    is_active: Type.Boolean(),
    tier: Type.String(),
    tier_family: Type.String(),
    tier_display_name: Type.String(),
    role: Type.String({ description: 'Role of the caller in the organization: `admin`, `auditor` or `member`' }),
    created: moment(),
    modified: moment(),
    bsds: Type.Array(Type.String(), { description: 'Branded short domains of the organization' }),
    require_sso: Type.String(),
    require_2fa: Type.String(),
  },
  { $id: 'Organization' },
)
