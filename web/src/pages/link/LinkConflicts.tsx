/** What two people changed in a link, with who and when from its history. */
import { useQuery } from '@tanstack/react-query'
import { userQuery } from '../../api/queries.js'
import { formatAge, formatMoment } from '../../parts/format.js'
import { Conflicts, type FoundConflicts } from '../../parts/merged-save.js'
import { withScheme } from '../../parts/with-scheme.js'
import { conflictTexts } from '../../texts/conflicts.js'
import { historyTexts } from '../../texts/history.js'
import type { ChangeName, Draft } from '../create/draft.js'
import { sentenceOf } from '../create/routing.js'
import { labelOf } from './history-entry.js'
import { readHistory } from './queries.js'

interface LinkConflictsProps extends FoundConflicts<Draft, ChangeName> {
  readonly group: string
  readonly id: string
}

export function LinkConflicts({ group, id, ...props }: LinkConflictsProps) {
  const { data: user } = useQuery(userQuery)
  const { data: found } = useQuery({
    queryKey: ['groups', group, 'shortlinks', 'history', id, 'conflict', props.conflict.theirs],
    queryFn: () => readHistory(id, { size: 50 }),
  })
  const authorOf = (name: ChangeName) => {
    const entry = found?.history.find(({ after }) => name in after)
    if (!entry) return undefined
    const who = entry.login === user?.login ? '' : entry.login
    return <span title={formatMoment(entry.created)}>{conflictTexts.by(who, formatAge(entry.created))}</span>
  }
  return <Conflicts {...props} labelOf={labelOf} textOf={textOf} authorOf={authorOf} />
}

function textOf(name: ChangeName, draft: Draft): string | boolean {
  switch (name) {
    case 'long_url':
      return withScheme(draft.longUrl)
    case 'expiration_at':
      return draft.expiresAt ? formatMoment(new Date(draft.expiresAt).toISOString()) : historyTexts.never
    case 'dynamic_routing':
      return draft.rules.map(sentenceOf).join('\n')
    case 'deeplinks':
      return draft.deeplinks.map(({ os, app_uri_path }) => `${os ?? ''} ${app_uri_path}`.trim()).join('\n')
    case 'tags':
      return draft.tags.join(', ')
    case 'private':
    case 'forward_query':
      return draft.switches[name] ?? false
    default:
      return draft[name].trim()
  }
}
