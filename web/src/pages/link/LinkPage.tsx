/** One link: what it is, where it leads, and its numbers. */
import { Button, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Archive, ArchiveRestore, ExternalLink, Pencil, Trash2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { ApiError } from '../../api/client.js'
import type { ShortLink } from '../../api/types.js'
import { BackLink } from '../../parts/BackLink.js'
import { Card } from '../../parts/Card.js'
import { CopyButton } from '../../parts/CopyButton.js'
import { formatAge, formatMoment } from '../../parts/format.js'
import { lazyPart } from '../../parts/lazy-part.js'
import { PageHead } from '../../parts/PageHead.js'
import { Problem } from '../../parts/Problem.js'
import { TagChip } from '../../parts/TagChip.js'
import { useMayWrite } from '../../shell/current-group.js'
import { useShortcuts } from '../../shell/shortcuts.js'
import { texts } from '../../texts/texts.js'
import { Analytics } from '../analytics/Analytics.js'
import type { FormPlace } from '../create/LinkFields.js'
import { Chips } from './Chips.js'
import { Codes } from './Codes.js'
import { HistoryCard } from './HistoryCard.js'
import styles from './LinkPage.module.css'
import { linkQuery, shownAddress, useArchiveLink } from './queries.js'
import { Unclicked } from './Unclicked.js'

const EditDialog = lazyPart(() => import('./EditDialog.js'), 'EditDialog')
const DeleteDialog = lazyPart(() => import('./DeleteDialog.js'), 'DeleteDialog')
const Studio = lazyPart(() => import('../qr-codes/studio/Studio.js'), 'Studio')
const BackHalvesDialog = lazyPart(() => import('./BackHalvesDialog.js'), 'BackHalvesDialog')

const route = getRouteApi('/$group/links/$domain/$hash')

export function LinkPage() {
  const { group, domain, hash } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const mayWrite = useMayWrite()
  const [dialog, setDialog] = useState<'edit' | 'delete' | 'back-halves' | 'qr-code'>()
  const [place, setPlace] = useState<FormPlace>()
  const link = useQuery(linkQuery(group, domain, hash))
  const edit = (at?: FormPlace) => {
    setPlace(at)
    setDialog('edit')
  }
  useShortcuts(mayWrite ? [{ keys: 'e', label: texts.common.edit, run: () => edit() }] : [])
  // What is known stays, with an open form, while the service cannot be reached.
  const isGone = link.error instanceof ApiError && (link.error.isMissing || link.error.isForbidden)
  if (link.isError && (!link.data || isGone)) {
    return <Problem error={link.error} onRetry={() => void link.refetch()} />
  }
  const close = () => setDialog(undefined)
  const leave = () => navigate({ to: '/$group/links', params: { group }, replace: true })
  return (
    <>
      <BackLink to="/$group/links" params={{ group }}>
        {texts.shell.links}
      </BackLink>
      <PageHead title={link.data ? link.data.title || shownAddress(link.data) : `${domain}/${hash}`}>
        {link.data && mayWrite && (
          <>
            <Button leftSection={<Pencil size={16} />} variant="default" onClick={() => edit()}>
              {texts.common.edit}
            </Button>
            <ArchiveButton link={link.data} group={group} />
            <Button leftSection={<Trash2 size={16} />} variant="default" onClick={() => setDialog('delete')}>
              {texts.common.delete}
            </Button>
          </>
        )}
      </PageHead>
      {link.data && <Chips link={link.data} onEdit={mayWrite ? edit : undefined} />}
      <div className={styles.page}>
        <Card>
          {link.data ? (
            <About link={link.data} mayWrite={mayWrite} onBackHalves={() => setDialog('back-halves')}>
              <Codes group={group} link={link.data} onCreate={mayWrite ? () => setDialog('qr-code') : undefined} />
            </About>
          ) : (
            <Skeleton height={96} />
          )}
        </Card>
        {link.data && (
          <Unclicked link={link.data} group={group}>
            <Analytics
              subject={{ group, link: { domain, hash } }}
              search={search}
              onChange={(changed, replace = false) => void navigate({ search: changed, replace })}
            />
          </Unclicked>
        )}
        {link.data && <HistoryCard group={group} link={link.data} mayWrite={mayWrite} />}
      </div>
      {dialog === 'edit' && link.data && (
        <EditDialog link={link.data} group={group} place={place} onClose={close} onDeleted={leave} />
      )}
      {dialog === 'delete' && link.data && (
        <DeleteDialog link={link.data} group={group} onClose={close} onDeleted={leave} />
      )}
      {dialog === 'qr-code' && link.data && <Studio group={group} link={link.data} onClose={close} />}
      {dialog === 'back-halves' && link.data && (
        <BackHalvesDialog link={link.data} group={group} mayWrite={mayWrite} onClose={close} />
      )}
    </>
  )
}

interface AboutProps {
  readonly link: ShortLink
  readonly mayWrite: boolean
  readonly onBackHalves: () => void
  /** More rows. */
  readonly children: ReactNode
}

function About({ link, mayWrite, onBackHalves, children }: AboutProps) {
  const addresses = [...link.custom_shortlinks, link.link]
  return (
    <dl className={styles.about}>
      <dt>{texts.links.link}</dt>
      <dd className={styles.addresses}>
        {addresses.map((address) => (
          <span key={address} className={styles.address}>
            <a href={address} target="_blank" rel="noopener noreferrer">
              {address.replace(/^https?:\/\//, '')}
            </a>
            <CopyButton value={address} label={texts.links.copy(address)} />
          </span>
        ))}
        {(mayWrite || link.custom_shortlinks.length > 0) && (
          <Button variant="subtle" size="compact-sm" onClick={onBackHalves}>
            {link.custom_shortlinks.length > 0 ? texts.link.backHalves : texts.link.addBackHalf}
          </Button>
        )}
      </dd>
      <dt>{texts.create.destination}</dt>
      <dd>
        <a href={link.long_url} target="_blank" rel="noopener noreferrer" className={styles.destination}>
          {link.long_url} <ExternalLink size={14} aria-hidden="true" />
        </a>
      </dd>
      <dt>{texts.links.created}</dt>
      <dd>
        <time title={formatMoment(link.created_at)}>{formatAge(link.created_at)}</time>
        {link.created_by && `, ${link.created_by}`}
      </dd>
      {link.expiration_at && (
        <>
          <dt>{texts.link.expires}</dt>
          <dd>{formatMoment(link.expiration_at)}</dd>
        </>
      )}
      {link.note && (
        <>
          <dt>{texts.create.note}</dt>
          <dd className={styles.note} dir="auto">
            {link.note}
          </dd>
        </>
      )}
      {link.tags.length > 0 && (
        <>
          <dt>{texts.links.filters.tags}</dt>
          <dd className={styles.tags}>
            {link.tags.map((tag) => (
              <TagChip key={tag} tag={tag} />
            ))}
          </dd>
        </>
      )}
      {children}
    </dl>
  )
}

function ArchiveButton({ link, group }: { readonly link: ShortLink; readonly group: string }) {
  const archive = useArchiveLink(group)
  return (
    <Button
      variant="default"
      leftSection={link.archived ? <ArchiveRestore size={16} /> : <Archive size={16} />}
      loading={archive.isPending}
      onClick={() => archive.toggle(link)}
    >
      {link.archived ? texts.links.restore : texts.links.archive}
    </Button>
  )
}
