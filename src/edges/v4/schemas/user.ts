import { Type } from 'typebox'
import { moment } from './moment.js'

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
  },
  { $id: 'User' },
)
