import { type Static, Type } from 'typebox'
import type { User as CoreUser } from '../../core/accounts/account.js'
import { requireGroup } from '../../core/accounts/actor.js'
import { type ChangeUserDeps, changeUser, readUser } from '../../core/accounts/users.js'
import { timestamp } from '../../core/values/time.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { everybody, textIn } from './access.js'
import { route } from './route.js'
import { User } from './schemas/accounts.js'
import { nameBounds } from './schemas/bounds.js'
import { named } from './schemas/fields.js'

export type UserRouteDeps = ChangeUserDeps

const UserBody = Type.Object({
  name: Type.Optional(Type.String(nameBounds)),
  default_group_guid: Type.Optional(Type.String({ description: 'One of your groups' })),
  default_link_privacy: Type.Optional(
    Type.Enum(['public', 'private'], {
      type: 'string',
      description: 'What your new links are, unless a request says otherwise',
    }),
  ),
})

export function userRoutes(http: TypedFastify, deps: UserRouteDeps): void {
  route(http, 'User', 'getUser: GET /v4/user', {
    scope: 'any',
    access: everybody,
    summary: 'Get your user',
    description: 'The user that the access token or the session belongs to.',
    response: { 200: named(User, 'The owner of the access token') },
    answer: async (request) => presentUser(await readUser(deps, request.actor)),
  })

  route(http, 'User', 'updateUser: PATCH /v4/user', {
    scope: 'all',
    access: ({ actor, body }) => {
      const groupGuid = textIn(body, 'default_group_guid')
      if (groupGuid !== undefined) requireGroup(actor, groupGuid)
    },
    summary: 'Update your name and your defaults',
    description:
      'The default group is where your links are created if a request names no group. Fields that are not sent stay unchanged.',
    body: UserBody,
    response: { 200: named(User, 'The updated user') },
    answer: async (request) => {
      const { name, default_group_guid: defaultGroupGuid, default_link_privacy: defaultLinkPrivacy } = request.body
      return presentUser(await changeUser(deps, request.actor, { name, defaultGroupGuid, defaultLinkPrivacy }))
    },
  })
}

function presentUser(user: CoreUser): Static<typeof User> {
  return {
    login: user.login,
    name: user.name,
    is_active: user.isActive,
    created: timestamp(user.createdAt),
    modified: timestamp(user.modifiedAt),
    is_sso_user: false,
    // An address set by an operator is verified once its owner has used a link sent to it.
    emails:
      user.email === undefined ? [] : [{ email: user.email, is_primary: true, is_verified: user.isEmailVerified }],
    is_2fa_enabled: user.hasTwoFactor,
    default_group_guid: user.defaultGroupGuid,
    default_link_privacy: user.defaultLinkPrivacy,
  }
}
