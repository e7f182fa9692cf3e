/** One site: what is on it, how it looks, its address, and who comes. Everything is a draft until it is published. */
import { Button, Menu, Skeleton, Tabs } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { ChevronLeft, CopyPlus, Ellipsis, ExternalLink, Eye, RotateCcw, Send, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { CopyButton } from '../../parts/CopyButton.js'
import { Dialog } from '../../parts/Dialog.js'
import icon from '../../parts/IconButton.module.css'
import { lazyPart } from '../../parts/lazy-part.js'
import { PageHead } from '../../parts/PageHead.js'
import { Problem } from '../../parts/Problem.js'
import page from '../../parts/page.module.css'
import { useMayWrite } from '../../shell/current-group.js'
import { siteTexts as words } from '../../texts/sites.js'
import { ContentTab } from './ContentTab.js'
import { type Site, shownUrl } from './model.js'
import { Preview } from './Preview.js'
import { type Overlay, siteQuery } from './queries.js'
import styles from './SitePage.module.css'
import { SiteState } from './SiteState.js'
import { type SiteTab, siteTabs } from './search.js'

const LookTab = lazyPart(() => import('./LookTab.js'), 'LookTab', <Skeleton height={420} />)
const ShareTab = lazyPart(() => import('./ShareTab.js'), 'ShareTab', <Skeleton height={320} />)
const StatisticsTab = lazyPart(() => import('./StatisticsTab.js'), 'StatisticsTab', <Skeleton height={480} />)
const PublishDialog = lazyPart(() => import('./PublishDialog.js'), 'PublishDialog')
const DiscardDialog = lazyPart(() => import('./DiscardDialog.js'), 'DiscardDialog')
const CloneDialog = lazyPart(() => import('./CloneDialog.js'), 'CloneDialog')
const DeleteDialog = lazyPart(() => import('./DeleteDialog.js'), 'DeleteDialog')
const route = getRouteApi('/$group/sites/$site')

export function SitePage() {
  const { group, site: id } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const found = useQuery(siteQuery(group, id))
  const [dialog, setDialog] = useState<'publish' | 'discard' | 'clone' | 'delete' | 'preview'>()
  const [overlay, setOverlay] = useState<Overlay>({})
  const mayWrite = useMayWrite()
  const { data: site } = found
  if (!site) {
    if (found.isError) return <Problem error={found.error} onRetry={() => void found.refetch()} />
    return <Skeleton height={480} />
  }
  const tab = search.tab ?? 'content'
  const close = () => setDialog(undefined)
  return (
    <>
      <Link to="/$group/sites" params={{ group }} className={page.back}>
        <ChevronLeft size={16} aria-hidden="true" />
        {words.title}
      </Link>
      <PageHead title={site.content.display_name || shownUrl(site.url)}>
        <Button
          className={styles.narrow}
          variant="default"
          leftSection={<Eye size={16} />}
          onClick={() => setDialog('preview')}
        >
          {words.preview}
        </Button>
        {mayWrite && (
          <Button
            leftSection={<Send size={16} />}
            disabled={!site.is_edited && site.status === 'active'}
            onClick={() => setDialog('publish')}
          >
            {words.publish.open}
          </Button>
        )}
        {mayWrite && <MoreActions site={site} onDo={setDialog} />}
      </PageHead>
      <Address site={site} />
      <div className={styles.page} data-drawn={tab !== 'statistics' || undefined}>
        <Tabs
          value={tab}
          onChange={(chosen) => void navigate({ search: { ...search, tab: chosen as SiteTab } })}
          keepMounted={false}
          className={styles.tabs}
        >
          <Tabs.List mb="md" className={page.tabs}>
            {siteTabs.map((each) => (
              <Tabs.Tab key={each} value={each}>
                {words.tabs[each]}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          <Tabs.Panel value="content" className={page.wide}>
            <ContentTab site={site} mayWrite={mayWrite} onOverlay={setOverlay} />
          </Tabs.Panel>
          <Tabs.Panel value="look" className={page.wide}>
            <LookTab site={site} mayWrite={mayWrite} onOverlay={setOverlay} />
          </Tabs.Panel>
          <Tabs.Panel value="share" className={page.wide}>
            <ShareTab site={site} mayWrite={mayWrite} />
          </Tabs.Panel>
          <Tabs.Panel value="statistics">
            <StatisticsTab
              site={site}
              range={search.range ?? '30'}
              onRange={(range) => void navigate({ search: { tab, range }, replace: true })}
            />
          </Tabs.Panel>
        </Tabs>
        <aside className={styles.preview} aria-label={words.preview}>
          <Preview site={site} overlay={overlay} />
        </aside>
      </div>
      {dialog === 'preview' && (
        <Dialog onClose={close} title={words.preview} size="auto">
          <Preview site={site} overlay={overlay} />
        </Dialog>
      )}
      {dialog === 'publish' && <PublishDialog site={site} onClose={close} />}
      {dialog === 'discard' && <DiscardDialog site={site} onClose={close} />}
      {dialog === 'clone' && (
        <CloneDialog
          site={site}
          onMade={(made) => {
            close()
            void navigate({ params: { group, site: made }, search: {} })
          }}
          onClose={close}
        />
      )}
      {dialog === 'delete' && (
        <DeleteDialog
          site={site}
          onDeleted={() => void navigate({ to: '/$group/sites', params: { group }, replace: true })}
          onClose={close}
        />
      )}
    </>
  )
}

function Address({ site }: { readonly site: Site }) {
  return (
    <div className={styles.address}>
      <SiteState site={site} />
      <span className={styles.url}>
        {site.last_published && site.status === 'active' ? (
          <a href={site.url} target="_blank" rel="noopener noreferrer">
            {shownUrl(site.url)} <ExternalLink size={14} aria-hidden="true" />
          </a>
        ) : (
          <span>{shownUrl(site.url)}</span>
        )}
        <CopyButton value={site.url} label={words.copyOf(shownUrl(site.url))} />
      </span>
    </div>
  )
}

interface MoreActionsProps {
  readonly site: Site
  readonly onDo: (what: 'discard' | 'clone' | 'delete') => void
}

function MoreActions({ site, onDo }: MoreActionsProps) {
  return (
    <Menu>
      <Menu.Target>
        <button type="button" className={icon.button} aria-label={words.actions} title={words.actions}>
          <Ellipsis size={16} />
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        {site.is_edited && site.last_published && (
          <Menu.Item leftSection={<RotateCcw size={16} />} onClick={() => onDo('discard')}>
            {words.discard.open}
          </Menu.Item>
        )}
        <Menu.Item leftSection={<CopyPlus size={16} />} onClick={() => onDo('clone')}>
          {words.clone.open}
        </Menu.Item>
        <Menu.Item leftSection={<Trash2 size={16} />} color="red" onClick={() => onDo('delete')}>
          {words.delete.open}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
