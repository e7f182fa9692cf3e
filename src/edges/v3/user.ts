/** /v3/user/info, and how people are shown (gaps 7.4). */
import type { UserStore } from '../../core/auth/user-store.js'
import { readUser } from '../../core/auth/users.js'
import type { Domains } from '../../core/domains/domains.js'
import { Refusal } from '../../core/refusal.js'
import type { Answer, Operation, Question } from './operation.js'
import { epoch } from './present.js'

export interface NameParts {
  readonly users: UserStore
}

export interface UserParts extends NameParts {
  readonly domains: Domains
}

export function userOperations(parts: UserParts): readonly Operation[] {
  return [{ path: '/v3/user/info', answer: (question) => info(parts, question) }]
}

/** What `expand_user` adds. */
export function userInfo(login: string, name: string | undefined) {
  return { login, full_name: name ?? login, display_name: name ?? login }
}

async function info(parts: UserParts, { actor, args }: Question): Promise<Answer> {
  // Our choice: everybody sees themselves. Others look as if they were not there.
  if ((args.text('login') ?? actor.login) !== actor.login) {
    throw new Refusal('NOT_FOUND', 'There is no such user, or it is not you.', { resource: 'users' })
  }
  const user = await readUser(parts, actor)
  const preferred = parts.domains.preferredBy(actor.defaultGroupGuid)
  const branded = parts.domains.brandedOf([actor.defaultGroupGuid])
  return {
    data: {
      ...userInfo(user.login, user.name || undefined),
      profile_url: '',
      profile_image: '',
      member_since: epoch(user.createdAt),
      share_accounts: [],
      is_enterprise: 0,
      custom_short_domain: preferred.branded ? preferred.name : null,
      tracking_domains: [],
      default_link_privacy: 'public',
      domain_preference_options: [...parts.domains.builtIn.map(({ name }) => name), ...branded],
    },
  }
}
