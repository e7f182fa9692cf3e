/** Sites made of others: clones, and those that a template is applied to. */
import { type Actor, requireWriter } from '../accounts/actor.js'
import { requireFeature } from '../limits/plans.js'
import { newGuid } from '../values/guid.js'
import { invalid, quoted, Refusal } from '../values/refusal.js'
import { withCrops } from './appearance.js'
import { requireReadableTexts } from './contrast.js'
import { isContainer, tooMany } from './edit.js'
import { done, makeSite, type SiteDeps } from './manage.js'
import { readPlace } from './place.js'
import { type Block, maxBlocks, type Site } from './site.js'
import { type Template, templateCategories, templates } from './templates.js'

/** With the blocks and the look of the draft. Without an address it gets one beside that of the site. */
export async function cloneSite(deps: SiteDeps, actor: Actor, site: Site, uri: string | undefined): Promise<Site> {
  const group = requireWriter(actor, site.groupGuid)
  const document = { ...site.draft, blocks: withNewIds(site.draft.blocks) }
  if (document.blocks.some(({ type }) => isContainer(type))) {
    requireFeature(deps, group.organizationGuid, 'site_containers', 'sites')
  }
  if (uri !== undefined) {
    return makeSite(deps, actor, group, readPlace(deps, site.groupGuid, { uri }), document)
  }
  const [domain = '', ...path] = deps.domains.shown(site.address).split('/')
  const keyword = path.at(-1)?.slice(0, 40) || 'page'
  const place = (suffix: string) => readPlace(deps, site.groupGuid, { domain, keyword: `${keyword}-${suffix}` })
  return makeSite(deps, actor, group, place(newGuid('site').slice(1, 6)), document)
}

/** Replaces the appearance, and the samples of a former template. What the owners made stays. */
export async function applyTemplate(
  deps: SiteDeps,
  actor: Actor,
  { guid, groupGuid }: Site,
  templateGuid: string | undefined,
): Promise<Site> {
  const { organizationGuid } = requireWriter(actor, groupGuid)
  if (templateGuid === undefined) {
    const message = 'Send template_guid, the guid of a template of GET /v4/site_templates.'
    throw new Refusal('UNPROCESSABLE_ENTITY', message, { resource: 'sites' })
  }
  const template = templates.find((each) => each.guid === templateGuid)
  if (!template) {
    throw new Refusal('NOT_FOUND', `There is no template ${quoted(templateGuid)}.`, { resource: 'site_templates' })
  }
  const mayContain = deps.plans.of(organizationGuid).features.has('site_containers')
  const samples = mayContain ? template.blocks : withoutContainers(template.blocks)
  const step = (draft: Site['draft']) => {
    const own = draft.blocks.filter(({ isSample }) => !isSample)
    const blocks = own.length === 0 ? withNewIds(samples) : own
    if (blocks.length > maxBlocks) throw tooMany()
    const { displayName, description, appearance } = draft
    // Pictures stay: they are of the owners, not of the template.
    const { avatarImageGuid } = appearance
    const next = {
      displayName: displayName || template.displayName,
      description: description || template.description,
      appearance: withCrops(
        { ...template.appearance, ...(avatarImageGuid !== undefined && { avatarImageGuid }) },
        appearance.crops,
      ),
      blocks,
    }
    requireReadableTexts(next, 'templateGuid')
    return next
  }
  return done(await deps.sites.change(guid, step, deps.clock.now()))
}

export function listTemplates(category: string | undefined): readonly Template[] {
  if (category === undefined) return templates
  if (!(templateCategories as readonly string[]).includes(category)) {
    throw invalid('category', `Send one of ${templateCategories.join(', ')}.`, 'site_templates')
  }
  return templates.filter(({ categories }) => (categories as readonly string[]).includes(category))
}

/** What was in a container is on the page itself. */
function withoutContainers(blocks: readonly Block[]): readonly Block[] {
  return blocks.filter(({ type }) => !isContainer(type)).map(({ containerId: _, ...block }) => block as Block)
}

function withNewIds(blocks: readonly Block[]): readonly Block[] {
  const ids = new Map(blocks.map(({ id }) => [id, newGuid('site-block')]))
  const idOf = (id: string) => ids.get(id) ?? id
  return blocks.map((block) => ({
    ...block,
    id: idOf(block.id),
    ...(block.containerId !== undefined && { containerId: idOf(block.containerId) }),
  }))
}
