/** A draft with what is typed and not saved yet, to look at: nothing is stored, and no link is made. */
import { type Actor, requireGroup, requireWriter } from '../accounts/actor.js'
import { invalid } from '../values/refusal.js'
import { type AppearanceInput, readAppearance, withCrops } from './appearance.js'
import { type BlockDeps, type BlockInput, readBlock } from './blocks.js'
import { initialContent, readLine, readText } from './content.js'
import { addBlock, blockIn, changeBlock } from './edit.js'
import { maxDescription } from './manage.js'
import type { BlockType, Site, SiteDocument } from './site.js'

export interface PreviewInput {
  readonly displayName?: string | undefined
  readonly description?: string | undefined
  /** It need not be readable, so that people see what is wrong. */
  readonly appearance?: AppearanceInput | undefined
  /** A change of a block, or a new one with its type. */
  readonly block?:
    | (BlockInput & { readonly id?: string | undefined; readonly type?: BlockType | undefined })
    | undefined
}

export interface PreviewedDraft {
  readonly document: SiteDocument
  /** URLs without a short link, by the id that stands for it in the document. */
  readonly newLinks: ReadonlyMap<string, string>
}

export async function previewDraft(
  deps: BlockDeps,
  actor: Actor,
  site: Site,
  { displayName, description, appearance, block }: PreviewInput,
): Promise<PreviewedDraft> {
  const newLinks = new Map<string, string>()
  const { organizationGuid } = requireGroup(actor, site.groupGuid)
  const look = appearance && (await readAppearance(deps, organizationGuid, appearance, 'appearance.'))
  const document = {
    ...site.draft,
    ...(displayName !== undefined && { displayName: readLine(displayName, 'displayName') }),
    ...(description !== undefined && { description: readText(description, 'description', maxDescription) }),
    ...(look && { appearance: withCrops(look, site.draft.appearance.crops) }),
  }
  if (!block) return { document, newLinks }
  requireWriter(actor, site.groupGuid)
  const { id, type = id === undefined ? undefined : blockIn(document, id).type, ...input } = block
  if (type === undefined) throw invalid('block', 'Send the id of a block, or the type of a new one.', 'sites')
  const standIn = (longUrl: string) => {
    const key = `new/${newLinks.size}`
    newLinks.set(key, longUrl)
    return key
  }
  const change = await readBlock({ ...deps, standIn }, actor, site, type, input)
  if (id !== undefined) return { document: changeBlock(document, id, change), newLinks }
  const whole = { ...change, content: { ...initialContent[type], ...change.content } }
  return { document: addBlock(document, 'new', type, whole), newLinks }
}
