import { Button, Select, Skeleton } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ask } from '../../api/client.js'
import { refreshGroup } from '../../api/queries.js'
import type { ShortLink } from '../../api/types.js'
import { CopyButton } from '../../parts/CopyButton.js'
import { formatMoment } from '../../parts/format.js'
import { errorText } from '../../parts/Problem.js'
import page from '../../parts/page.module.css'
import { showDone } from '../../parts/toasts.js'
import { useGroup } from '../../shell/current-group.js'
import { texts } from '../../texts/texts.js'
import { linksQuery } from '../links/queries.js'
import styles from './BackHalves.module.css'
import { backHalfQuery, pathOf, shownAddress } from './queries.js'

interface BackHalfProps {
  /** The short URL. */
  readonly address: string
  readonly link: ShortLink
  readonly group: string
  readonly mayWrite: boolean
}

export function BackHalf({ address, link, group, mayWrite }: BackHalfProps) {
  const { domain, hash: keyword } = pathOf(address)
  // A back-half of a built-in domain cannot be moved.
  const isBranded = useGroup()?.bsds.includes(domain) ?? false
  const [open, setOpen] = useState<'history' | 'move'>()
  const toggle = (part: 'history' | 'move') => setOpen(open === part ? undefined : part)
  return (
    <>
      <div className={styles.head}>
        <strong className={styles.name}>
          {domain}/{keyword}
        </strong>
        <CopyButton value={address} label={texts.links.copy(address)} />
        <span className={styles.actions}>
          <Button
            variant="subtle"
            size="compact-sm"
            aria-expanded={open === 'history'}
            onClick={() => toggle('history')}
          >
            {texts.link.history}
          </Button>
          {mayWrite && isBranded && (
            <Button variant="subtle" size="compact-sm" aria-expanded={open === 'move'} onClick={() => toggle('move')}>
              {texts.link.move}
            </Button>
          )}
        </span>
      </div>
      {open === 'history' && <History group={group} domain={domain} keyword={keyword} />}
      {open === 'move' && <Move group={group} domain={domain} keyword={keyword} link={link} />}
    </>
  )
}

interface NamedProps {
  readonly group: string
  readonly domain: string
  readonly keyword: string
}

/** Where it led, and since when: changes of the link's destination, and moves from link to link. */
function History({ group, domain, keyword }: NamedProps) {
  const record = useQuery(backHalfQuery(group, domain, keyword))
  if (record.isError) return <p className={page.problem}>{errorText(record.error)}</p>
  if (!record.data) return <Skeleton height={48} />
  return (
    <ol className={styles.history}>
      {record.data.shortlink_history.map((entry) => (
        <li key={`${entry.created}${entry.long_url}`} data-active={entry.is_active || undefined}>
          <span className={styles.destination}>{entry.long_url.replace(/^https?:\/\/(www\.)?/, '')}</span>
          <span className={styles.when}>
            {entry.is_active
              ? texts.link.since(formatMoment(entry.created), entry.login)
              : texts.link.fromTo(formatMoment(entry.created), formatMoment(entry.deactivated), entry.login)}
          </span>
        </li>
      ))}
    </ol>
  )
}

function Move({ group, domain, keyword, link }: NamedProps & { readonly link: ShortLink }) {
  const client = useQueryClient()
  const [typed, setTyped] = useState('')
  const [target, setTarget] = useState<string | null>(null)
  const [query] = useDebouncedValue(typed.trim(), 300)
  const found = useInfiniteQuery(linksQuery(group, query && !target ? { q: query } : {}))
  const others = (found.data?.pages.flatMap(({ links }) => links) ?? []).filter(
    ({ id }) => id !== link.id && pathOf(id).domain === domain,
  )
  const move = useMutation({
    mutationFn: (shortlink_id: string) => {
      const params = { path: { domain, keyword } }
      return ask(api.PATCH('/v4/custom_shortlinks/{domain}/{keyword}', { params, body: { shortlink_id } }))
    },
    onSuccess: async ({ shortlink }) => {
      showDone(texts.link.moved(`${domain}/${keyword}`, shortlink.title ?? shortlink.long_url))
      await refreshGroup(client, group)
    },
  })
  return (
    <div className={styles.move}>
      <Select
        label={texts.link.moveTo}
        description={texts.link.moveToHint}
        data={others.map((other) => ({
          value: other.id,
          label: `${shownAddress(other)} · ${other.title ?? other.long_url}`,
        }))}
        // The API has searched already.
        filter={({ options }) => options}
        searchable
        searchValue={typed}
        onSearchChange={setTyped}
        value={target}
        onChange={setTarget}
        nothingFoundMessage={texts.links.noneMatch}
        error={move.error && errorText(move.error)}
      />
      <Button disabled={!target} loading={move.isPending} onClick={() => target && move.mutate(target)}>
        {texts.link.move}
      </Button>
    </div>
  )
}
