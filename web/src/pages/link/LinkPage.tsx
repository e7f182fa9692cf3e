/** One link: what it is, where it leads, and its numbers. */
import { Badge, Button, Skeleton } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Archive, ArchiveRestore, ExternalLink } from 'lucide-react'
import { api, ask } from '../../api/client.js'
import type { ShortLink } from '../../api/types.js'
import { Card } from '../../parts/Card.js'
import { CopyButton } from '../../parts/CopyButton.js'
import { formatAge, formatMoment } from '../../parts/format.js'
import { PageHead } from '../../parts/PageHead.js'
import { Problem } from '../../parts/Problem.js'
import { showError, showUndo } from '../../parts/toasts.js'
import { useMayWrite } from '../../shell/current-group.js'
import { texts } from '../../texts/texts.js'
import { Numbers } from '../numbers/Numbers.js'
import styles from './LinkPage.module.css'

const route = getRouteApi('/$group/links/$domain/$hash')

export function LinkPage() {
  const { group, domain, hash } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const link = useQuery({
    queryKey: ['groups', group, 'shortlinks', 'one', domain, hash],
    queryFn: () => ask(api.GET('/v4/shortlinks/{domain}/{hash}', { params: { path: { domain, hash } } })),
  })
  if (link.isError) return <Problem error={link.error} onRetry={() => void link.refetch()} />
  return (
    <>
      <PageHead title={link.data?.title || `${domain}/${hash}`}>
        {link.data && <ArchiveButton link={link.data} group={group} />}
      </PageHead>
      <div className={styles.page}>
        <Card>{link.data ? <About link={link.data} /> : <Skeleton height={96} />}</Card>
        <Numbers
          subject={{ group, link: { domain, hash } }}
          search={search}
          onChange={(changed) => void navigate({ search: changed, replace: true })}
        />
      </div>
    </>
  )
}

function About({ link }: { readonly link: ShortLink }) {
  const addresses = [...link.custom_shortlinks, link.link]
  return (
    <dl className={styles.about}>
      <dt>{texts.links.link}</dt>
      <dd>
        {addresses.map((address) => (
          <span key={address} className={styles.address}>
            <a href={address} target="_blank" rel="noopener noreferrer">
              {address.replace(/^https?:\/\//, '')}
            </a>
            <CopyButton value={address} label={texts.links.copy(address)} />
          </span>
        ))}
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
      {link.tags.length > 0 && (
        <>
          <dt>{texts.links.filters.tags}</dt>
          <dd className={styles.tags}>
            {link.tags.map((tag) => (
              <Badge key={tag} variant="default" className={styles.tag}>
                {tag}
              </Badge>
            ))}
          </dd>
        </>
      )}
    </dl>
  )
}

function ArchiveButton({ link, group }: { readonly link: ShortLink; readonly group: string }) {
  const client = useQueryClient()
  const mayWrite = useMayWrite()
  const [domain = '', hash = ''] = link.id.split('/')
  const change = useMutation({
    mutationFn: (archived: boolean) =>
      ask(api.PATCH('/v4/shortlinks/{domain}/{hash}', { params: { path: { domain, hash } }, body: { archived } })),
    onSuccess: async (_, archived) => {
      await client.invalidateQueries({ queryKey: ['groups', group, 'shortlinks'] })
      showUndo(archived ? texts.links.archived(1) : texts.links.restored(1), () => change.mutate(!archived))
    },
    onError: showError,
  })
  if (!mayWrite) return null
  return (
    <Button
      variant="default"
      leftSection={link.archived ? <ArchiveRestore size={16} /> : <Archive size={16} />}
      loading={change.isPending}
      onClick={() => change.mutate(!link.archived)}
    >
      {link.archived ? texts.links.restore : texts.links.archive}
    </Button>
  )
}
