import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Globe } from 'lucide-react'
import { groupsQuery } from '../../api/queries.js'
import type { BrandedDomain, Group } from '../../api/types.js'
import { errorText } from '../../parts/Problem.js'
import page from '../../parts/page.module.css'
import { RowMark, RowText } from '../../parts/Rows.js'
import { domainTexts as words } from '../../texts/domains.js'
import { DomainActions } from './DomainActions.js'
import { DomainChip } from './DomainChip.js'
import { type DomainState, stateOf } from './domain-state.js'
import styles from './domains.module.css'
import { listedDomainQuery } from './queries.js'

const route = getRouteApi('/$group/domains')
const tones: Partial<Record<DomainState, 'good' | 'warn'>> = { works: 'good', waiting: 'warn', https: 'warn' }

export function DomainRow({ domain: listed }: { readonly domain: BrandedDomain }) {
  const { group } = route.useParams()
  const { domain, organization_guid } = listed
  const { data: groups } = useQuery(groupsQuery)
  const details = useQuery(listedDomainQuery(organization_guid, domain))
  const state = stateOf(details.data)
  return (
    <>
      <RowMark tone={tones[state]}>
        <Globe size={18} />
      </RowMark>
      <RowText
        title={
          <span className={styles.listed}>
            <Link to="/$group/domains/$domain" params={{ group, domain }}>
              {domain}
            </Link>
            {(details.data || !details.error) && <DomainChip state={state} />}
          </span>
        }
      >
        {[usedBy(listed.group_guids, groups), ...pagesOf(listed)].join(' · ')}
      </RowText>
      {details.error && !details.data && <span className={page.problem}>{errorText(details.error)}</span>}
      <Button
        variant="default"
        renderRoot={(props) => <Link {...props} to="/$group/domains/$domain" params={{ group, domain }} />}
      >
        {state === 'works' || state === 'loading' ? words.open : words.continue}
      </Button>
      <DomainActions domain={listed} />
    </>
  )
}

/** Where visitors are led who ask for no link. */
export function pagesOf({ root_url, not_found_url }: BrandedDomain): readonly string[] {
  const withoutScheme = (url: string) => url.replace(/^https?:\/\/|\/$/g, '')
  return [
    ...(root_url ? [words.rootShown(withoutScheme(root_url))] : []),
    ...(not_found_url ? [words.notFoundShown(withoutScheme(not_found_url))] : []),
  ]
}

/** The names of the groups; those that the person cannot see are counted. */
export function usedBy(guids: readonly string[], groups: readonly Group[] = []): string {
  const names = groups.filter(({ guid }) => guids.includes(guid)).map(({ name }) => name)
  const areAllKnown = names.length === guids.length && names.length > 0
  return areAllKnown ? words.groupsStep.done(names.join(', ')) : words.usedBy(guids.length)
}
