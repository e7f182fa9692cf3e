/** The blocks of a site's draft (docs/api/sites.md#blocks). */
import { type Actor, requireWriter } from '../accounts/actor.js'
import { requireFeature } from '../limits/plans.js'
import { newGuid } from '../values/guid.js'
import { invalid } from '../values/refusal.js'
import { parseTimestamp } from '../values/time.js'
import { readTextAppearance } from './appearance.js'
import { type ContentDeps, type ContentInput, initialContent, readContent } from './content.js'
import {
  addBlock,
  type BlockChange,
  type BlockPlace,
  blockIn,
  changeBlock,
  isContainer,
  orderBlocks,
  removeBlock,
} from './edit.js'
import { done, requireFitting, type SiteDeps } from './manage.js'
import { type BlockType, linkIdsOf, type Site, type SiteDocument, type TextAppearance } from './site.js'

export type BlockDeps = SiteDeps & ContentDeps

export interface BlockInput {
  readonly content?: ContentInput | undefined
  readonly appearance?: TextAppearance | undefined
  /** Timestamps; an empty text removes them. */
  readonly scheduleStart?: string | undefined
  readonly scheduleEnd?: string | undefined
  readonly isActive?: boolean | undefined
  readonly isPinned?: boolean | undefined
  /** An empty text takes the block out of its container. */
  readonly parent?: string | undefined
}

/** A site and one of its blocks. */
export interface ChangedBlock {
  readonly site: Site
  readonly blockId: string
}

export async function createBlock(
  deps: BlockDeps,
  actor: Actor,
  site: Site,
  type: BlockType,
  input: BlockInput,
): Promise<ChangedBlock> {
  const { organizationGuid } = requireWriter(actor, site.groupGuid)
  if (isContainer(type)) requireFeature(deps, organizationGuid, 'site_containers', 'sites')
  const blockId = newGuid('site-block')
  const step = await readStep(deps, actor, site, type, { content: {}, ...input }, (change) => {
    const whole = { ...change, content: { ...initialContent[type], ...change.content } }
    return (draft) => addBlock(draft, blockId, type, whole)
  })
  return { site: done(await deps.sites.change(site.guid, step, deps.clock.now())), blockId }
}

export async function updateBlock(
  deps: BlockDeps,
  actor: Actor,
  site: Site,
  blockId: string,
  input: BlockInput,
): Promise<ChangedBlock> {
  const { type } = blockIn(site.draft, blockId)
  const step = await readStep(
    deps,
    actor,
    site,
    type,
    input,
    (change) => (draft) => changeBlock(draft, blockId, change),
  )
  return { site: done(await deps.sites.change(site.guid, step, deps.clock.now())), blockId }
}

/** The links behind them stay. */
export async function deleteBlock(deps: SiteDeps, site: Site, blockId: string): Promise<Site> {
  return done(await deps.sites.change(site.guid, (draft) => removeBlock(draft, blockId), deps.clock.now()))
}

export async function sortBlocks(deps: SiteDeps, site: Site, order: readonly BlockPlace[]): Promise<Site> {
  return done(await deps.sites.change(site.guid, (draft) => orderBlocks(draft, order), deps.clock.now()))
}

type Step = (draft: SiteDocument) => SiteDocument

/** Refuses what the draft would not take before links are made for it. The store's transaction decides. */
async function readStep(
  deps: BlockDeps,
  actor: Actor,
  site: Site,
  type: BlockType,
  input: BlockInput,
  stepOf: (change: BlockChange) => Step,
): Promise<Step> {
  const longUrls: string[] = []
  const standIn = (longUrl: string) => `new/${longUrls.push(longUrl)}`
  const step = stepOf(await readBlock({ ...deps, standIn }, actor, site, type, input))
  requireFitting(step(site.draft))
  return longUrls.length === 0 ? step : stepOf(await readBlock(deps, actor, site, type, input))
}

export async function readBlock(
  deps: BlockDeps,
  actor: Actor,
  site: Site,
  type: BlockType,
  input: BlockInput,
): Promise<BlockChange> {
  const { content, appearance, scheduleStart, scheduleEnd, parent, ...flags } = input
  const group = requireWriter(actor, site.groupGuid)
  return {
    ...flags,
    ...(appearance && { appearance: readTextAppearance(appearance) }),
    ...(scheduleStart !== undefined && { scheduleStart: readTime(scheduleStart, 'scheduleStart') }),
    ...(scheduleEnd !== undefined && { scheduleEnd: readTime(scheduleEnd, 'scheduleEnd') }),
    ...(parent !== undefined && { parent: parent === '' ? null : parent }),
    ...(content && { content: await readContent({ ...deps, known: linksOf(site) }, actor, group, type, content) }),
  }
}

function linksOf({ draft, live }: Site): ReadonlySet<string> {
  return new Set([...draft.blocks, ...(live?.blocks ?? [])].flatMap(linkIdsOf))
}

function readTime(text: string, field: string): number | null {
  if (text === '') return null
  const moment = parseTimestamp(text)
  if (!moment) throw invalid(field, 'Send a time as YYYY-MM-DDThh:mm:ss±hhmm.', 'sites')
  return moment.at
}
