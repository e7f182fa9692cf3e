import { type Actor, requireGroup } from '../accounts/actor.js'
import type { GroupStore, TagType } from '../accounts/group-store.js'

/** The tags in use on the group's links or codes, in alphabetical order. The limit of a group bounds the list. */
export async function listTags(
  deps: { readonly groups: GroupStore },
  actor: Actor,
  groupGuid: string,
  type: TagType = 'shortlink',
): Promise<readonly string[]> {
  requireGroup(actor, groupGuid)
  return deps.groups.tags(groupGuid, type)
}
