/** The sites of a group: pages with links, each with its address, what visitors see of it, and how many come. */
import { Button, Menu } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { ChartNoAxesColumn, CopyPlus, Ellipsis, ExternalLink, Plus, Trash2, Upload } from 'lucide-react'
import { useState } from 'react'
import { Card } from '../../parts/Card.js'
import { CopyButton } from '../../parts/CopyButton.js'
import { Empty } from '../../parts/Empty.js'
import { formatNumber } from '../../parts/format.js'
import icon from '../../parts/IconButton.module.css'
import { lazyPart } from '../../parts/lazy-part.js'
import { PageHead } from '../../parts/PageHead.js'
import page from '../../parts/page.module.css'
import { Rows } from '../../parts/Rows.js'
import { useMayWrite } from '../../shell/current-group.js'
import { siteTexts as words } from '../../texts/sites.js'
import { texts } from '../../texts/texts.js'
import { Miniature, someLinks } from './Miniature.js'
import { type Site, shownUrl } from './model.js'
import { sitesQuery, viewsQuery } from './queries.js'
import { SiteState } from './SiteState.js'
import styles from './sites.module.css'

const NewSiteDialog = lazyPart(() => import('./NewSiteDialog.js'), 'NewSiteDialog')
const ImportDialog = lazyPart(() => import('./ImportDialog.js'), 'ImportDialog')
const CloneDialog = lazyPart(() => import('./CloneDialog.js'), 'CloneDialog')
const DeleteDialog = lazyPart(() => import('./DeleteDialog.js'), 'DeleteDialog')
const route = getRouteApi('/$group/sites')

export function SitesPage() {
  const { group } = route.useParams()
  const navigate = route.useNavigate()
  const mayWrite = useMayWrite()
  const [dialog, setDialog] = useState<'new' | 'import' | { readonly do: 'clone' | 'delete'; readonly site: Site }>()
  const sites = useInfiniteQuery(sitesQuery(group))
  const isEmpty = sites.data?.pages.every((each) => each.sites.length === 0)
  const close = () => setDialog(undefined)
  const edit = (site: string) => void navigate({ to: '/$group/sites/$site', params: { group, site } })
  const create = mayWrite && (
    <>
      <Button variant="default" leftSection={<Upload size={16} />} onClick={() => setDialog('import')}>
        {words.import.open}
      </Button>
      <Button leftSection={<Plus size={16} />} onClick={() => setDialog('new')}>
        {words.create}
      </Button>
    </>
  )
  return (
    <>
      <PageHead title={words.title}>
        {!isEmpty && (
          <>
            <Button
              variant="default"
              leftSection={<ChartNoAxesColumn size={16} />}
              renderRoot={(props) => <Link {...props} to="/$group/analytics/sites" params={{ group }} />}
            >
              {texts.analytics.title}
            </Button>
            {create}
          </>
        )}
      </PageHead>
      <Card>
        <Rows
          query={{ ...sites, data: sites.data?.pages.flatMap((each) => each.sites) }}
          keyOf={({ site_guid }) => site_guid}
          row={(site) => <SiteRow site={site} mayWrite={mayWrite} onDo={(what) => setDialog({ do: what, site })} />}
          empty={
            <Empty drawing="sites" title={words.none} action={create && <div className={page.buttons}>{create}</div>}>
              {words.noneHint}
            </Empty>
          }
        />
      </Card>
      {dialog === 'new' && <NewSiteDialog group={group} onMade={edit} onClose={close} />}
      {dialog === 'import' && <ImportDialog group={group} onMade={edit} onClose={close} />}
      {typeof dialog === 'object' && dialog.do === 'clone' && (
        <CloneDialog site={dialog.site} onMade={edit} onClose={close} />
      )}
      {typeof dialog === 'object' && dialog.do === 'delete' && (
        <DeleteDialog site={dialog.site} onDeleted={close} onClose={close} />
      )}
    </>
  )
}

interface SiteRowProps {
  readonly site: Site
  readonly mayWrite: boolean
  readonly onDo: (what: 'clone' | 'delete') => void
}

function SiteRow({ site, mayWrite, onDo }: SiteRowProps) {
  const { data: views } = useQuery({ ...viewsQuery(site), enabled: site.last_published !== undefined })
  const name = site.content.display_name || shownUrl(site.url)
  return (
    <>
      <Miniature appearance={site.appearance} blocks={someLinks(site.button_count)} className={styles.thumb} />
      <div className={styles.about}>
        <Link
          to="/$group/sites/$site"
          params={{ group: site.group_guid, site: site.site_guid }}
          className={styles.siteName}
          title={name}
          dir="auto"
        >
          {name}
        </Link>
        <span className={styles.siteUrl}>{shownUrl(site.url)}</span>
      </div>
      <span className={`figures ${styles.views}`}>
        {views !== undefined && words.views(views, formatNumber(views))}
      </span>
      <span className={styles.state}>
        <SiteState site={site} />
      </span>
      <CopyButton value={site.url} label={words.copyOf(shownUrl(site.url))} />
      <Menu>
        <Menu.Target>
          <button type="button" className={icon.button} aria-label={words.actionsOf(name)} title={words.actions}>
            <Ellipsis size={16} />
          </button>
        </Menu.Target>
        <Menu.Dropdown>
          {site.last_published && (
            <Menu.Item
              component="a"
              href={site.url}
              target="_blank"
              rel="noopener noreferrer"
              leftSection={<ExternalLink size={16} />}
            >
              {words.visit}
            </Menu.Item>
          )}
          {mayWrite && (
            <>
              <Menu.Item leftSection={<CopyPlus size={16} />} onClick={() => onDo('clone')}>
                {words.clone.open}
              </Menu.Item>
              <Menu.Item leftSection={<Trash2 size={16} />} color="red" onClick={() => onDo('delete')}>
                {words.delete.open}
              </Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
    </>
  )
}
