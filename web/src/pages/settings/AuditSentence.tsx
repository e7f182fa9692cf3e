import { Link } from '@tanstack/react-router'
import { Fragment, type ReactNode } from 'react'
import type { Group } from '../../api/types.js'
import { formatNumber } from '../../parts/format.js'
import { auditTexts as words } from '../../texts/audit.js'
import { people } from '../../texts/people.js'
import { pathOf } from '../link/queries.js'
import type { AuditEntry } from './audit-queries.js'

/** Names of what entries mention by its id. */
export interface AuditNames {
  readonly group: string
  readonly people: ReadonlyMap<string, string>
  readonly groups: readonly Group[]
}

/** One entry as a sentence, with the things in it linked to their pages. */
export function AuditSentence({
  entry,
  count,
  names,
}: {
  readonly entry: AuditEntry
  /** Entries like this one that the sentence stands for. */
  readonly count: number
  readonly names: AuditNames
}) {
  const { action, account, details } = entry
  const many = count > 1 ? words.changedLinks(formatNumber(count)) : undefined
  const known =
    many ?? words.sentences[action] ?? words.unknown(people.settings.actions[action] ?? action.replaceAll('_', ' '))
  const isAboutAnother = account && !known.includes('{person}')
  const sentence = isAboutAnother ? words.forAccount.replace('{sentence}', known) : known
  return (
    <>
      {sentence.split(/(\{\w+\})/).map((part, at) => (
        // The parts of a sentence never change their order.
        <Fragment key={at}>{part.startsWith('{') ? partOf(part.slice(1, -1), entry, names) : part}</Fragment>
      ))}
      {details.clientId && ` ${words.byApplication}`}
    </>
  )
}

function partOf(name: string, entry: AuditEntry, names: AuditNames): ReactNode {
  const { login, account, subject = '', details } = entry
  if (name === 'who') return <Person login={login} names={names} />
  if (name === 'account') return <Person login={account} names={names} />
  if (name === 'person') return <Person login={account ?? subject} names={names} />
  if (name === 'place') return <strong>{placeName(details.in, names)}</strong>
  if (name === 'role') return <strong>{roleName(details.role)}</strong>
  if (name === 'exported') return words.exportedTypes[details.type ?? ''] ?? details.type
  if (name !== 'name' && name !== 'uri') return <strong>{details[name] ?? subject}</strong>
  return <Thing entry={entry} names={names} />
}

/** What was changed, as a link to its page unless it is gone. */
function Thing({ entry, names }: { readonly entry: AuditEntry; readonly names: AuditNames }) {
  const { action, subject = '', details } = entry
  const { group } = names
  const known = names.groups.find(({ guid }) => guid === subject)
  const shown = details.name ?? details.uri ?? known?.name ?? (names.people.get(subject) || subject)
  const isGone = /_(removed|deleted|revoked)$/.test(action)
  if (!isGone && action.startsWith('domain_')) {
    return (
      <Link to="/$group/domains/$domain" params={{ group, domain: subject }}>
        {shown}
      </Link>
    )
  }
  if (!isGone && action.startsWith('webhook_')) {
    return (
      <Link to="/$group/settings/webhooks/$webhook" params={{ group, webhook: subject }}>
        {shown}
      </Link>
    )
  }
  if (!isGone && action.startsWith('site_')) {
    return (
      <Link to="/$group/sites/$site" params={{ group, site: subject }}>
        {shown}
      </Link>
    )
  }
  if (action === 'link_changed') {
    return (
      <Link to="/$group/links/$domain/$hash" params={{ group, ...pathOf(subject) }} title={details.fields}>
        {shown}
      </Link>
    )
  }
  if (known && action.startsWith('group_')) {
    return (
      <Link to="/$group" params={{ group: known.guid }}>
        {shown}
      </Link>
    )
  }
  return <strong>{shown}</strong>
}

/** By name; the login, which is unique, on hover. */
function Person({ login, names }: { readonly login: string | undefined; readonly names: AuditNames }) {
  if (!login) return <strong>{words.somebody}</strong>
  return <strong title={login}>{login === 'operator' ? words.operator : names.people.get(login) || login}</strong>
}

function placeName(guid: string | undefined, { groups }: AuditNames): string {
  return groups.find((group) => group.guid === guid)?.name ?? words.theOrganization
}

function roleName(role = ''): string {
  const names: Readonly<Record<string, string>> = { ...people.settings.memberRoles, ...people.settings.roles }
  return names[role] ?? role
}
