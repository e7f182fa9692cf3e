/** Who did what, as sentences by day, newest first. What is selected is in the URL, and can be saved. */
import { Button, Select, TextInput } from '@mantine/core'
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Download } from 'lucide-react'
import { groupsQuery } from '../../api/queries.js'
import { Card } from '../../parts/Card.js'
import { Empty } from '../../parts/Empty.js'
import { asDate, formatAge, formatDay, formatMoment, formatNumber } from '../../parts/format.js'
import { Rows } from '../../parts/Rows.js'
import { RunButton } from '../../parts/RunButton.js'
import { SearchField } from '../../parts/SearchField.js'
import { showDone, showError } from '../../parts/toasts.js'
import { auditTexts as words } from '../../texts/audit.js'
import { people } from '../../texts/people.js'
import styles from './AuditLog.module.css'
import { type AuditNames, AuditSentence } from './AuditSentence.js'
import { actionsOf, auditKinds, kindOf } from './audit-kinds.js'
import { type AuditEntry, auditQuery, exportAudit } from './audit-queries.js'
import { membersQuery } from './queries.js'
import type { SettingsSearch } from './search.js'

const route = getRouteApi('/$group/settings')

export function AuditLog({ guid }: { readonly guid: string }) {
  const { group } = route.useParams()
  const { login, subject, kind, action, from, to } = route.useSearch()
  const search = { login, subject, kind, action, from, to }
  const { data: members = [] } = useQuery(membersQuery(guid))
  const { data: groups = [] } = useQuery(groupsQuery)
  const log = useInfiniteQuery(auditQuery(guid, search))
  const save = useMutation({
    mutationFn: () => exportAudit(guid, search),
    onSuccess: ({ count, isTruncated }) => {
      const shown = formatNumber(count)
      showDone(isTruncated ? words.truncated(shown) : words.exported(count, shown))
    },
    onError: showError,
  })
  const names: AuditNames = { group, groups, people: new Map(members.map((each) => [each.login, each.name])) }
  const isFiltered = Object.values(search).some(Boolean)
  const days = log.data && byDay(log.data.pages.flatMap(({ audit_log }) => audit_log))
  return (
    <Card
      title={people.settings.tabs.audit}
      hint={words.hint}
      actions={
        <RunButton run={save} variant="default" leftSection={<Download size={16} />}>
          {words.export}
        </RunButton>
      }
    >
      <Filters people={members.map(({ login: value, name }) => ({ value, label: name || value }))} />
      <Rows
        query={{ ...log, data: days }}
        keyOf={({ day }) => day}
        empty={<Empty drawing={isFiltered ? 'search' : 'log'} title={isFiltered ? words.noneFound : words.none} />}
        row={({ day, entries }) => (
          <section className={styles.day} aria-label={day}>
            <h3>{day}</h3>
            <ul>
              {entries.map(({ entry, count }) => (
                <li key={entry.guid}>
                  <span className={styles.sentence}>
                    <AuditSentence entry={entry} count={count} names={names} />
                    {entry.ip_address && <span className={styles.address}>{entry.ip_address}</span>}
                  </span>
                  <time dateTime={asDate(entry.created).toISOString()} title={formatMoment(entry.created)}>
                    {formatAge(entry.created)}
                  </time>
                </li>
              ))}
            </ul>
          </section>
        )}
      />
    </Card>
  )
}

function Filters({ people: persons }: { readonly people: readonly { value: string; label: string }[] }) {
  const { login, subject, action, from, to, ...search } = route.useSearch()
  const kind = kindOf(search.kind)
  const navigate = route.useNavigate()
  const set = (changes: SettingsSearch) =>
    void navigate({
      search: { tab: 'audit', login, subject, kind, action, from, to, ...changes },
      resetScroll: false,
      replace: true,
    })
  const actions = kind ? actionsOf(kind) : auditKinds.flatMap(actionsOf)
  const everybody = [...persons, { value: 'operator', label: words.operator }]
  return (
    <div className={styles.filters}>
      <Select
        label={words.person}
        placeholder={words.everybody}
        data={everybody}
        value={login ?? null}
        onChange={(chosen) => set({ login: chosen ?? undefined })}
        clearable
        searchable
      />
      <SearchField
        label={words.thing}
        hint={words.thingHint}
        value={subject}
        onSearch={(wanted) => set({ subject: wanted })}
      />
      <Select
        label={words.kind}
        placeholder={words.everything}
        data={auditKinds.map((value) => ({ value, label: words.kinds[value] }))}
        value={kind ?? null}
        onChange={(chosen) => set({ kind: chosen ?? undefined, action: undefined })}
        clearable
        searchable
      />
      <Select
        label={words.action}
        placeholder={words.anyAction}
        data={actions.map((value) => ({ value, label: actionName(value) }))}
        value={action ?? null}
        onChange={(chosen) => set({ action: chosen ?? undefined })}
        clearable
        searchable
      />
      <TextInput
        type="date"
        label={words.from}
        value={from ?? ''}
        onChange={({ currentTarget }) => set({ from: currentTarget.value || undefined })}
      />
      <TextInput
        type="date"
        label={words.to}
        value={to ?? ''}
        onChange={({ currentTarget }) => set({ to: currentTarget.value || undefined })}
      />
      {(login || subject || kind || action || from || to) && (
        <Button variant="subtle" onClick={() => void navigate({ search: { tab: 'audit' }, resetScroll: false })}>
          {words.clear}
        </Button>
      )}
    </div>
  )
}

function actionName(action: string): string {
  const name = action.replaceAll('_', ' ')
  return people.settings.actions[action] ?? name.charAt(0).toUpperCase() + name.slice(1)
}

interface Day {
  readonly day: string
  readonly entries: { readonly entry: AuditEntry; count: number }[]
}

/** Days as they are where the person is. Many links that somebody changed together are one row. */
function byDay(entries: readonly AuditEntry[]): readonly Day[] {
  const days: Day[] = []
  for (const entry of entries) {
    const day = dayName(asDate(entry.created))
    const last = days.at(-1)
    const before = last?.entries.at(-1)
    if (last?.day !== day) days.push({ day, entries: [{ entry, count: 1 }] })
    else if (before && isTogether(before.entry, entry)) before.count++
    else last.entries.push({ entry, count: 1 })
  }
  return days
}

function isTogether(newer: AuditEntry, entry: AuditEntry): boolean {
  if (newer.action !== 'link_changed' || entry.action !== 'link_changed' || newer.login !== entry.login) return false
  return asDate(newer.created).getTime() - asDate(entry.created).getTime() < 60_000
}

function dayName(date: Date): string {
  const yesterday = new Date()
  yesterday.setDate(yesterday.getDate() - 1)
  if (date.toDateString() === new Date().toDateString()) return words.today
  return date.toDateString() === yesterday.toDateString() ? words.yesterday : formatDay(date)
}
