/** The tags of a group as things of their own. Tags are given to items by the stores of links and QR codes. */
import type { ChangeContext } from './link.js'
import type { TagColor } from './tags.js'

export interface TagStore {
  /** In alphabetical order. */
  list(groupGuid: string): Promise<readonly TagDetails[]>

  /**
   * Changes the tag on everything that has it, in one step: for tags that few things have. Links have the change in their history. A name that another tag has is taken,
   * unless `merge` is set: then items with either have that one, which keeps its own color and description.
   */
  update(
    groupGuid: string,
    tag: string,
    change: TagChange,
    context: ChangeContext,
  ): Promise<TagDetails | 'missing' | 'taken'>

  /**
   * All addresses of the links that have one of the tags. Undefined if these are more links than the limit, where a link counts
   * for each of the tags.
   */
  addresses(groupGuid: string, tags: readonly string[], limit: number): Promise<readonly string[] | undefined>

  /**
   * The same for at most `limit` links and QR codes that have the tag, in one step; without a name they lose it. Ends without an error
   * when nothing has the tag any more. After a first step others have the name, so the next ones send `merge`.
   */
  replaceSome(
    groupGuid: string,
    tag: string,
    change: TagChange,
    limit: number,
    context: ChangeContext,
  ): Promise<TagStep | 'taken'>

  /** Removes the tag from everything that has it. False if nothing has. */
  remove(groupGuid: string, tag: string, context: ChangeContext): Promise<boolean>
}

export interface TagStep {
  /** How many links and QR codes it changed. */
  readonly items: number
  readonly more: boolean
}

export interface TagDetails {
  readonly name: string
  readonly color: TagColor
  /** Empty if there is none. */
  readonly description: string
  /** How many links and QR codes have it. */
  readonly links: number
  readonly qrCodes: number
}

export interface TagChange {
  readonly name?: string
  readonly merge?: boolean
  readonly color?: TagColor
  readonly description?: string
}
