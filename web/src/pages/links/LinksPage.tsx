/** The links of a group: search, filters, and a list that scrolls through all of them. */
import { Button } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { ArrowDownUp, Plus } from 'lucide-react'
import { useMemo, useRef, useState } from 'react'
import { Card } from '../../parts/Card.js'
import { Empty } from '../../parts/Empty.js'
import { lazyPart } from '../../parts/lazy-part.js'
import { PageHead } from '../../parts/PageHead.js'
import { Problem } from '../../parts/Problem.js'
import { SearchField } from '../../parts/SearchField.js'
import { openCreate } from '../../shell/create-link.js'
import { useMayWrite } from '../../shell/current-group.js'
import { useShortcuts } from '../../shell/shortcuts.js'
import { texts } from '../../texts/texts.js'
import { useDensity } from './density.js'
import { Filters } from './Filters.js'
import { LinkList, LinkListSkeleton } from './LinkList.js'
import styles from './LinksPage.module.css'
import { linksQuery, totalQuery } from './queries.js'
import { useRowActions } from './row-actions.js'
import { isFiltered, type LinkSearch } from './search.js'
import { useSelection } from './selection.js'

const EditDialog = lazyPart(() => import('../link/EditDialog.js'), 'EditDialog')
const Studio = lazyPart(() => import('../qr-codes/studio/Studio.js'), 'Studio')
const RowMenu = lazyPart(() => import('./RowMenu.js'), 'RowMenu')
const SelectionBar = lazyPart(() => import('./SelectionBar.js'), 'SelectionBar')
const EverythingBar = lazyPart(() => import('./EverythingBar.js'), 'EverythingBar')
const JobBar = lazyPart(() => import('./EverythingBar.js'), 'JobBar')

const route = getRouteApi('/$group/links')

export function LinksPage() {
  const { group } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const mayWrite = useMayWrite()
  const found = useInfiniteQuery(linksQuery(group, search))
  const pages = found.data?.pages
  const links = useMemo(() => pages?.flatMap((page) => page.links) ?? [], [pages])
  // By clicks, the list has only the first hundred.
  const isPart = found.hasNextPage || search.sort !== undefined
  const { data: counted } = useQuery({ ...totalQuery(group, search), enabled: isPart })
  const total = found.hasNextPage ? counted?.total : undefined
  const selection = useSelection(useMemo(() => links.map(({ id }) => id), [links]))
  const [job, setJob] = useState<string>()
  const { act, opened, close } = useRowActions(group)
  const [density, toggleDensity] = useDensity()
  const field = useRef<HTMLInputElement>(null)

  const change = (changed: LinkSearch) => {
    selection.clear()
    void navigate({ search: changed, replace: true })
  }
  useShortcuts([{ keys: '/', label: texts.shell.shortcuts.search, run: () => field.current?.focus() }])

  return (
    <>
      <PageHead title={texts.shell.links}>
        <Button
          variant="default"
          leftSection={<ArrowDownUp size={16} />}
          renderRoot={(props) => <Link to="/$group/links/imports" params={{ group }} {...props} />}
        >
          {texts.links.importFile}
        </Button>
      </PageHead>
      <div className={styles.bar}>
        <SearchField
          className={styles.search}
          field={field}
          label={texts.links.searchPlaceholder}
          value={search.q}
          onSearch={(q) => {
            const { q: _, ...others } = search
            change(q === undefined ? others : { ...others, q })
          }}
        />
        <Filters search={search} onChange={change} />
      </div>
      {found.isPending && <LinkListSkeleton density={density} />}
      {found.isError && links.length === 0 && <Problem error={found.error} onRetry={() => void found.refetch()} />}
      {found.isSuccess && links.length === 0 && (
        <Card>
          <NoLinks search={search} mayWrite={mayWrite} onChange={change} />
        </Card>
      )}
      {links.length > 0 && (
        <LinkList
          // Rows of another height are counted anew.
          key={density}
          links={links}
          selection={selection}
          density={density}
          onDensity={toggleDensity}
          count={Math.max(total ?? 0, links.length)}
          hasMore={found.hasNextPage && !counted?.total_is_exact}
          isByClicks={search.sort === 'clicks'}
          onSort={() => change({ ...search, sort: search.sort ? undefined : 'clicks' })}
          isLoadingMore={found.isFetchingNextPage}
          onAct={act}
          onEnd={() => found.hasNextPage && !found.isFetchingNextPage && void found.fetchNextPage()}
        />
      )}
      {selection.chosen.size > 0 && !selection.isEverything && (
        <SelectionBar
          links={links}
          selection={selection}
          total={isPart && (counted?.total ?? 0) > links.length ? counted : undefined}
        />
      )}
      {selection.isEverything && counted && (
        <EverythingBar
          group={group}
          search={search}
          counted={counted}
          onStart={(guid) => {
            selection.clear()
            setJob(guid)
          }}
          onClear={selection.clear}
        />
      )}
      {job && selection.chosen.size === 0 && (
        <JobBar key={job} group={group} guid={job} onClose={() => setJob(undefined)} />
      )}
      {opened?.dialog === 'menu' && (
        <RowMenu
          link={opened.link}
          onAct={(action) => {
            close()
            act(action, opened.link)
          }}
          onClose={close}
        />
      )}
      {opened?.dialog === 'edit' && <EditDialog link={opened.link} group={group} onClose={close} onDeleted={close} />}
      {opened?.dialog === 'code' && (
        <Studio group={group} code={opened.link.qr_code_ids[0]} link={opened.link} onClose={close} />
      )}
    </>
  )
}

interface NoLinksProps {
  readonly search: LinkSearch
  readonly mayWrite: boolean
  readonly onChange: (search: LinkSearch) => void
}

function NoLinks({ search, mayWrite, onChange }: NoLinksProps) {
  if (search.sort) {
    const byAge = (
      <Button variant="default" onClick={() => onChange({ ...search, sort: undefined })}>
        {texts.links.sortByAge}
      </Button>
    )
    return <Empty drawing="search" title={texts.links.noneClicked} action={byAge} />
  }
  if (isFiltered(search)) {
    const reset = (
      <Button variant="default" onClick={() => onChange({})}>
        {texts.links.resetFilters}
      </Button>
    )
    return (
      <Empty drawing="search" title={texts.links.noneMatch} action={reset}>
        {texts.links.noneMatchHint}
      </Empty>
    )
  }
  const create = mayWrite && (
    <Button leftSection={<Plus size={16} />} onClick={() => openCreate()}>
      {texts.shell.createLink}
    </Button>
  )
  return (
    <Empty drawing="links" title={texts.links.noneYet} action={create}>
      {mayWrite ? texts.links.noneYetHint : undefined}
    </Empty>
  )
}
