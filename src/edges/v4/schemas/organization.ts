import { Type } from 'typebox'
import { moment } from './moment.js'

export const Organization = Type.Object(
  {
    references: Type.Object({ groups: Type.String() }, { description: 'URLs of related data' }),
    name: Type.String(),
    guid: Type.String(),
    is_active: Type.Boolean(),
    tier: Type.String(),
    tier_family: Type.String(),
    tier_display_name: Type.String(),
    role: Type.String({ description: 'Role of the caller in the organization: `admin` or `member`' }),
    created: moment(),
    modified: moment(),
    bsds: Type.Array(Type.String(), { description: 'Branded short domains of the organization' }),
    require_sso: Type.String(),
    require_2fa: Type.String(),
  },
  { $id: 'Organization' },
)
