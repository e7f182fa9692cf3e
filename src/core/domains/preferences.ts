import { type Actor, requireGroupAdmin } from '../accounts/actor.js'
import type { GroupStore } from '../accounts/group-store.js'
import { readGroup } from '../groups/groups.js'
import { couldBeDomain } from '../values/domain-name.js'
import { quoted, Refusal } from '../values/refusal.js'
import type { Clock } from '../values/time.js'
import type { Domains } from './domains.js'

export interface PreferenceDeps {
  readonly groups: GroupStore
  readonly domains: Pick<Domains, 'builtIn' | 'default' | 'named' | 'nameOf' | 'refresh'>
  readonly clock: Clock
}

export interface Preferences {
  readonly groupGuid: string
  /** The domain of new links without an explicit domain. */
  readonly domainPreference: string
}

// Without a preference, show the effective domain: the default of the service.
export async function readPreferences(
  deps: Pick<PreferenceDeps, 'groups' | 'domains'>,
  actor: Actor,
  groupGuid: string,
): Promise<Preferences> {
  const { group } = await readGroup(deps, actor, groupGuid)
  const { domainPreference: preferred, domains } = group
  const usable = [...deps.domains.builtIn.map(({ key }) => key), ...domains].find((key) => key === preferred)
  return { groupGuid, domainPreference: deps.domains.nameOf(usable ?? deps.domains.default.key) }
}

// An empty domain resets the preference.
export async function changePreferences(
  deps: PreferenceDeps,
  actor: Actor,
  groupGuid: string,
  domainPreference: string | undefined,
): Promise<Preferences> {
  requireGroupAdmin(actor, groupGuid)
  if (domainPreference !== undefined) {
    const known = deps.domains.named(domainPreference)
    const domain = { name: known?.key ?? domainPreference.toLowerCase(), branded: known?.branded ?? true }
    if (domain.branded && domain.name !== '' && !couldBeDomain(domain.name)) throw notADomain(domainPreference)
    const outcome = await deps.groups.preferDomain(groupGuid, domain.name === '' ? undefined : domain, deps.clock.now())
    if (outcome === 'not-assigned') throw notADomain(domainPreference)
    await deps.domains.refresh()
  }
  return readPreferences(deps, actor, groupGuid)
}

function notADomain(name: string): Refusal {
  const message = `${quoted(name)} is neither a built-in domain nor assigned to this group.`
  return new Refusal('INVALID_ARG_DOMAIN', message, { resource: 'groups', field: 'domainPreference' })
}
