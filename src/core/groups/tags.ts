import { type Actor, requireGroup } from '../accounts/actor.js'
import type { GroupStore, TagType } from '../accounts/group-store.js'

/** The tags of the group's links or QR codes, in alphabetical order. Bounded by the tag limit of a group. */
export async function listTags(
  deps: { readonly groups: GroupStore },
  actor: Actor,
  groupGuid: string,
  type: TagType = 'shortlink',
): Promise<readonly string[]> {
  requireGroup(actor, groupGuid)
  return deps.groups.tags(groupGuid, type)
}
