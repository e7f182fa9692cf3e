/** Who changed the link, what and when; each change can be undone. */
import { Button, Skeleton } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Archive, ArrowRight, Clock, CornerUpRight, Pencil, Plus, Smartphone, Split, Tag, Type } from 'lucide-react'
import type { ReactNode } from 'react'
import { applicationQuery, userQuery } from '../../api/queries.js'
import type { ShortLink } from '../../api/types.js'
import { formatAge, formatMoment } from '../../parts/format.js'
import { Problem } from '../../parts/Problem.js'
import page from '../../parts/page.module.css'
import { More } from '../../parts/Rows.js'
import { historyTexts } from '../../texts/history.js'
import { texts } from '../../texts/texts.js'
import styles from './History.module.css'
import { changedNames, type Entry, type FieldName, isUndone, labelOf, sentenceOf, shownValue } from './history-entry.js'
import { historyQuery, useRestore } from './queries.js'

export interface HistoryProps {
  readonly group: string
  readonly link: ShortLink
  readonly mayWrite: boolean
}

export function History({ group, link, mayWrite }: HistoryProps) {
  const found = useInfiniteQuery(historyQuery(group, link.id))
  const { data: user } = useQuery(userQuery)
  const restore = useRestore(group, link)
  if (found.isPending) return <Skeleton height={72} />
  if (!found.data) return <Problem error={found.error} onRetry={() => void found.refetch()} />
  const entries = found.data.pages.flatMap(({ history }) => history)
  const nameOf = (login: string) => (login === user?.login ? '' : login)
  return (
    <>
      {entries.length === 0 && <p className={page.hint}>{historyTexts.unchanged}</p>}
      <ol className={styles.history}>
        {entries.map((entry) => {
          const sentence = sentenceOf(entry, nameOf(entry.login))
          return (
            <Row key={entry.guid} icon={iconOf(entry)} sentence={sentence} at={entry.created} client={entry.client_id}>
              <Changes entry={entry} />
              {mayWrite && !isUndone(link, entry) && (
                <Button
                  className={styles.undo}
                  variant="subtle"
                  size="compact-sm"
                  aria-label={historyTexts.undo(sentence)}
                  loading={restore.isPending && restore.variables.guid === entry.guid}
                  onClick={() => restore.mutate({ guid: entry.guid, newest: entries[0]?.guid })}
                >
                  {texts.common.undo}
                </Button>
              )}
            </Row>
          )
        })}
        {!found.hasNextPage && (
          <Row
            icon={<Plus />}
            sentence={historyTexts.created(nameOf(link.created_by ?? ''))}
            at={link.created_at}
            client={link.client_id}
          />
        )}
      </ol>
      <More query={found} />
    </>
  )
}

interface RowProps {
  readonly icon: ReactNode
  readonly sentence: string
  readonly at: string
  readonly client: string | undefined
  readonly children?: ReactNode
}

function Row({ icon, sentence, at, client, children }: RowProps) {
  return (
    <li className={styles.entry}>
      <span className={styles.icon} aria-hidden="true">
        {icon}
      </span>
      <div className={styles.sentence}>
        {sentence}
        {client && <Application id={client} />}{' '}
        <time className={styles.time} title={formatMoment(at)}>
          {formatAge(at)}
        </time>
      </div>
      {children}
    </li>
  )
}

function Application({ id }: { readonly id: string }) {
  const { data: name } = useQuery(applicationQuery(id))
  return <> {historyTexts.by(name ?? historyTexts.anApplication)}</>
}

function Changes({ entry }: { readonly entry: Entry }) {
  const names = changedNames(entry)
  // The sentence says it.
  if (names.length === 1 && names[0] === 'archived') return null
  return (
    <ul className={styles.changes}>
      {names.map((name) => (
        <li key={name}>
          {names.length > 1 && <span className={styles.label}>{labelOf(name)}</span>}
          {name === 'tags' ? <Tags entry={entry} /> : <Change entry={entry} name={name} />}
        </li>
      ))}
    </ul>
  )
}

function Change({ entry: { before, after }, name }: { readonly entry: Entry; readonly name: FieldName }) {
  const [old, now] = [shownValue(name, before), shownValue(name, after)]
  return (
    <>
      <del title={old.whole} dir="auto">
        {old.short}
      </del>{' '}
      <span className={styles.after}>
        <ArrowRight size={14} aria-label="→" />
        &nbsp;
        <ins title={now.whole} dir="auto">
          {now.short}
        </ins>
      </span>
    </>
  )
}

function Tags({ entry: { before, after } }: { readonly entry: Entry }) {
  const [old, now] = [before.tags ?? [], after.tags ?? []]
  return (
    <span className={styles.tags}>
      {old
        .filter((tag) => !now.includes(tag))
        .map((tag) => (
          <del key={tag} className={styles.tag} title={historyTexts.tagRemoved(tag)}>
            {tag}
          </del>
        ))}
      {now
        .filter((tag) => !old.includes(tag))
        .map((tag) => (
          <ins key={tag} className={styles.tag} title={historyTexts.tagAdded(tag)}>
            {tag}
          </ins>
        ))}
    </span>
  )
}

const icons: Partial<Record<FieldName, ReactNode>> = {
  long_url: <CornerUpRight />,
  title: <Type />,
  archived: <Archive />,
  tags: <Tag />,
  expiration_at: <Clock />,
  deeplinks: <Smartphone />,
  dynamic_routing: <Split />,
}

function iconOf(entry: Entry): ReactNode {
  const [first, ...others] = changedNames(entry)
  return (others.length === 0 && first && icons[first]) || <Pencil />
}
