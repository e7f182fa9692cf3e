/** One site: what is on it, how it looks, its address, and who comes. Everything is a draft until it is published. */
import { Button, Menu, Skeleton, Tabs } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, useBlocker } from '@tanstack/react-router'
import { CopyPlus, Ellipsis, ExternalLink, Eye, RotateCcw, Send, Trash2 } from 'lucide-react'
import { useCallback, useMemo, useState } from 'react'
import { BackLink } from '../../parts/BackLink.js'
import { ConfirmDialog } from '../../parts/ConfirmDialog.js'
import { CopyButton } from '../../parts/CopyButton.js'
import { Dialog } from '../../parts/Dialog.js'
import icon from '../../parts/IconButton.module.css'
import { lazyPart } from '../../parts/lazy-part.js'
import { PageHead } from '../../parts/PageHead.js'
import { Problem } from '../../parts/Problem.js'
import page from '../../parts/page.module.css'
import { showProblem } from '../../parts/toasts.js'
import { useMayWrite } from '../../shell/current-group.js'
import { siteTexts as words } from '../../texts/sites.js'
import { texts } from '../../texts/texts.js'
import { ContentTab } from './ContentTab.js'
import { type Site, shownUrl } from './model.js'
import { Preview } from './Preview.js'
import { siteQuery } from './queries.js'
import styles from './SitePage.module.css'
import { SiteState } from './SiteState.js'
import { type SiteTab, siteTabs } from './search.js'
import { changedForms, type OnTyped, overlayOf, type TypedForms, tabsOfForms } from './typed.js'

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
  const { data: site, error, refetch } = useQuery(siteQuery(group, id))
  // What is typed belongs to one site.
  if (site) return <Editor key={id} site={site} group={group} />
  return error ? <Problem error={error} onRetry={() => void refetch()} /> : <Skeleton height={480} />
}

interface EditorProps {
  readonly site: Site
  readonly group: string
}

function Editor({ site, group }: EditorProps) {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const [dialog, setDialog] = useState<'publish' | 'discard' | 'clone' | 'delete' | 'preview'>()
  const mayWrite = useMayWrite()
  const [typed, setTyped] = useState<TypedForms>({})
  const onTyped: OnTyped = useCallback(
    (form, now) => setTyped(({ [form]: _, ...others }) => (now ? { ...others, [form]: now } : others)),
    [],
  )
  const overlay = useMemo(() => overlayOf(site, typed), [site, typed])
  const changed = changedForms(typed)
  const isChanged = changed.length > 0
  const leaving = useBlocker({
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname,
    disabled: !isChanged,
    withResolver: true,
  })
  // How often the forms began anew.
  const [round, setRound] = useState(0)
  const tab = search.tab ?? 'content'
  const openTab = (chosen: SiteTab) => void navigate({ search: { ...search, tab: chosen } })
  const publish = useMutation({
    // After the steps that are on their way (queries.ts): what is published has them.
    scope: { id: site.site_guid },
    // One after the other: each change is of what the one before made.
    mutationFn: async () => {
      for (const form of changed) if (!(await typed[form]?.save?.())) return form
      return undefined
    },
    onSuccess: (refused) => {
      if (!refused) return setDialog('publish')
      showProblem(words.publish.unsaved)
      openTab(tabsOfForms[refused])
    },
  })
  const isKept = (each: SiteTab) => changed.some((form) => tabsOfForms[form] === each)
  const close = () => setDialog(undefined)
  return (
    <>
      <BackLink to="/$group/sites" params={{ group }}>
        {words.title}
      </BackLink>
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
            disabled={!site.is_edited && !isChanged && site.status === 'active'}
            loading={publish.isPending}
            onClick={() => publish.mutate()}
          >
            {words.publish.open}
          </Button>
        )}
        {mayWrite && <MoreActions site={site} onDo={setDialog} />}
      </PageHead>
      <Address site={site} />
      <div className={styles.page} data-drawn={tab !== 'statistics' || undefined}>
        <Tabs
          key={round}
          value={tab}
          onChange={(chosen) => openTab(chosen as SiteTab)}
          keepMounted={false}
          // Their forms tell what is drawn, also out of sight.
          keepMountedMode="display-none"
          className={styles.tabs}
        >
          <Tabs.List mb="md" className={page.tabs}>
            {siteTabs.map((each) => (
              <Tabs.Tab key={each} value={each}>
                {words.tabs[each]}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          <Tabs.Panel value="content" className={page.wide} keepMounted={isKept('content')}>
            <ContentTab site={site} mayWrite={mayWrite} typed={typed} onTyped={onTyped} />
          </Tabs.Panel>
          <Tabs.Panel value="look" className={page.wide} keepMounted={isKept('look')}>
            <LookTab site={site} mayWrite={mayWrite} onTyped={onTyped} />
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
      {dialog === 'discard' && <DiscardDialog site={site} onDiscarded={() => setRound(round + 1)} onClose={close} />}
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
          onDeleted={() =>
            void navigate({ to: '/$group/sites', params: { group }, replace: true, ignoreBlocker: true })
          }
          onClose={close}
        />
      )}
      {leaving.status === 'blocked' && (
        <ConfirmDialog
          title={texts.discard.title}
          action={texts.discard.action}
          isBusy={false}
          onConfirm={leaving.proceed}
          onClose={leaving.reset}
        >
          {texts.discard.hint}
        </ConfirmDialog>
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
