import { type Actor, requireGroupAdmin } from '../auth/actor.js'
import type { Clock } from '../clock.js'
import { couldBeDomain } from '../domains/domain-name.js'
import { quoted, Refusal } from '../refusal.js'
import type { GroupStore } from './group-store.js'
import { readGroup } from './groups.js'

export interface PreferenceParts {
  readonly groups: GroupStore
  readonly domains: { readonly builtIn: readonly [string, ...string[]]; refresh(): Promise<void> }
  readonly clock: Clock
}

export interface Preferences {
  readonly groupGuid: string
  /** The domain links are made on when the caller names none. */
  readonly domainPreference: string
}

// Our choice: a group that prefers nothing shows the domain it gets, which is the service's default.
export async function readPreferences(
  parts: Pick<PreferenceParts, 'groups' | 'domains'>,
  actor: Actor,
  groupGuid: string,
): Promise<Preferences> {
  const { group } = await readGroup(parts, actor, groupGuid)
  const { domainPreference: preferred, domains } = group
  const usable = preferred !== undefined && [...parts.domains.builtIn, ...domains].includes(preferred)
  return { groupGuid, domainPreference: usable ? preferred : parts.domains.builtIn[0] }
}

// Our choice: an empty domain goes back to the service's default.
export async function changePreferences(
  parts: PreferenceParts,
  actor: Actor,
  groupGuid: string,
  domainPreference: string | undefined,
): Promise<Preferences> {
  requireGroupAdmin(actor, groupGuid)
  if (domainPreference !== undefined) {
    const name = domainPreference.toLowerCase()
    const domain = name === '' ? undefined : { name, branded: !parts.domains.builtIn.includes(name) }
    if (domain?.branded && !couldBeDomain(name)) throw notADomain(domainPreference)
    const outcome = await parts.groups.preferDomain(groupGuid, domain, parts.clock.now())
    if (outcome === 'not-assigned') throw notADomain(domainPreference)
    await parts.domains.refresh()
  }
  return readPreferences(parts, actor, groupGuid)
}

function notADomain(name: string): Refusal {
  const message = `${quoted(name)} is neither a built-in domain nor one that is assigned to this group.`
  return new Refusal('INVALID_ARG_DOMAIN', message, { resource: 'groups', field: 'domainPreference' })
}
