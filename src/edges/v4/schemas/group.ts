import { Type } from 'typebox'
import { moment } from './moment.js'

export const Group = Type.Object(
  {
    references: Type.Object({ organization: Type.String() }, { description: 'URLs of related data' }),
    name: Type.String(),
    guid: Type.String(),
    created: moment(),
    modified: moment(),
    is_active: Type.Boolean(),
    role: Type.String({
      description: 'Role of the caller in the group: `org-admin`, `group-admin`, `member`, `reader`',
    }),
    organization_guid: Type.String(),
    bsds: Type.Array(Type.String(), { description: 'Branded short domains the group may use' }),
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

export const GroupPath = Type.Object({ group_guid: Type.String({ description: 'Guid of the group' }) })
