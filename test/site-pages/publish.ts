/** Sites in tests of pages: documents are stored and published without their fields being read, which test/api does. */
import {
  type Block,
  type BlockContents,
  type BlockType,
  defaultAppearance,
  defaultHeader,
  type SiteDocument,
} from '../../src/core/sites/site.js'
import { newGuid } from '../../src/core/values/guid.js'
import type { StartedApp } from '../support/start-app.js'

export interface PublishedSite {
  readonly guid: string
  /** Of the page: `/m/name`. */
  readonly path: string
  /** Publishes another version. */
  publish(document: SiteDocument): Promise<void>
}

/** At `/m/<name>` of the built-in domain, or at another path of a branded one. */
export async function publishSite(
  started: StartedApp,
  document: SiteDocument,
  { path = `m/${newGuid('site')}`, domain }: { readonly path?: string; readonly domain?: string } = {},
): Promise<PublishedSite> {
  const { app, groupGuid } = started
  const { key } = domain === undefined ? app.domains.default : (app.domains.named(domain) ?? app.domains.default)
  const address = `${key}/${path}`
  const guid = newGuid('site')
  const organizationGuid = await app.domainStore.organizationOf(groupGuid)
  if (organizationGuid === undefined) throw new Error(`the group ${groupGuid} does not exist`)
  const longUrl = app.domains.urlOf(address, app.config.baseUrl)
  const at = app.clock.now()
  const link = { groupGuid, organizationGuid, domain: key, longUrl, createdBy: 'admin', clientId: undefined, at }
  const created = await app.sites.create({ guid, address, document, link }, app.newHash)
  if (created.outcome !== 'done') throw new Error(`the site was not created: ${created.outcome}`)

  async function publish(changed: SiteDocument): Promise<void> {
    await app.sites.change(guid, () => changed, app.clock.now())
    await app.sites.publish(guid, app.clock.now())
    app.redirectCache.forget(address)
  }
  await publish(document)
  return { guid, path: `/${path}`, publish }
}

type Appearance = Partial<Omit<SiteDocument['appearance'], 'header'>>
type Header = Partial<SiteDocument['appearance']['header']>

export function aDocument(
  texts: Partial<Pick<SiteDocument, 'displayName' | 'description'>>,
  blocks: readonly Block[],
  appearance: Appearance = {},
  header: Header = {},
): SiteDocument {
  return {
    displayName: 'A page',
    description: '',
    ...texts,
    blocks,
    appearance: { ...defaultAppearance, ...appearance, header: { ...defaultHeader, ...header } },
  }
}

export function aBlock<Type extends BlockType>(
  type: Type,
  content: BlockContents[Type],
  fields: Partial<Omit<Block, 'type' | 'content'>> = {},
): Block {
  const block = {
    id: newGuid('site-block'),
    type,
    content,
    isActive: true,
    isPinned: false,
    isSample: false,
    ...fields,
  }
  return block as unknown as Block
}
