import { Button, Loader } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleCheck, ExternalLink } from 'lucide-react'
import { api, ask } from '../../api/client.js'
import { refreshGroup } from '../../api/queries.js'
import type { BrandedDomain } from '../../api/types.js'
import { CopyButton } from '../../parts/CopyButton.js'
import { errorText, ProblemLine } from '../../parts/Problem.js'
import page from '../../parts/page.module.css'
import { useGroup, useMayWrite } from '../../shell/current-group.js'
import { domainTexts } from '../../texts/domains.js'
import styles from './domains.module.css'

const words = domainTexts.testStep

interface TestStepProps {
  readonly domain: BrandedDomain
  readonly hasLinks: boolean
  readonly onMade: () => void
}

/** Makes a link by one button, and shows when the first visit of it arrives. */
export function TestStep({ domain: { domain, group_guids, root_url, dns }, hasLinks, onMade }: TestStepProps) {
  const group = useGroup()
  const mayWrite = useMayWrite()
  const client = useQueryClient()
  const make = useMutation({
    // The API answers with the same link when it is asked again.
    mutationFn: (group_guid: string) =>
      ask(api.POST('/v4/shorten', { body: { long_url: root_url || 'https://example.com/', domain, group_guid } })),
    onSuccess: (_, group_guid) => {
      onMade()
      return refreshGroup(client, group_guid)
    },
  })
  if (!group) return null
  if (!group_guids.includes(group.guid)) return <p className={styles.plain}>{words.groupFirst(group.name)}</p>
  if (dns?.checked && !dns.match && !hasLinks) return <p className={styles.plain}>{words.dnsFirst}</p>
  return (
    <div className={page.form}>
      <p className={page.hint}>{words.hint}</p>
      {make.data ? (
        <MadeLink group={group.guid} id={make.data.id} link={make.data.link} longUrl={make.data.long_url} />
      ) : (
        <div className={page.buttons}>
          <Button loading={make.isPending} disabled={!mayWrite} onClick={() => make.mutate(group.guid)}>
            {words.make}
          </Button>
          {hasLinks && (
            <Button
              variant="default"
              renderRoot={(props) => (
                <Link {...props} to="/$group/links" params={{ group: group.guid }} search={{ domain }} />
              )}
            >
              {domainTexts.showLinks}
            </Button>
          )}
        </div>
      )}
      <ProblemLine>{make.error && errorText(make.error)}</ProblemLine>
    </div>
  )
}

interface MadeLinkProps {
  readonly group: string
  readonly id: string
  readonly link: string
  readonly longUrl: string
}

const askForVisitsEvery = 2000

function MadeLink({ group, id, link, longUrl }: MadeLinkProps) {
  const [domain = '', hash = ''] = id.split('/')
  const visits = useQuery({
    queryKey: ['groups', group, 'visits', id],
    queryFn: async () => {
      const params = { path: { domain, hash }, query: { unit: 'day' as const, units: -1 } }
      return (await ask(api.GET('/v4/shortlinks/{domain}/{hash}/clicks/summary', { params }))).total_clicks
    },
    refetchInterval: ({ state }) => (state.data ? false : askForVisitsEvery),
  })
  return (
    <>
      <div className={styles.made}>
        <div className={styles.madeText}>
          <strong>{link}</strong>
          <CopyButton value={link} />
          <span>{words.leadsTo(longUrl)}</span>
        </div>
        <Button component="a" href={link} target="_blank" rel="noopener" rightSection={<ExternalLink size={16} />}>
          {words.open}
        </Button>
      </div>
      {visits.data ? (
        <p role="status" className={styles.good}>
          <CircleCheck size={18} aria-hidden="true" />
          <span>
            {words.visited}{' '}
            <Link to="/$group/links/$domain/$hash" params={{ group, domain, hash }}>
              {words.statistics}
            </Link>
          </span>
        </p>
      ) : (
        <>
          <p role="status" className={styles.open}>
            <Loader size={16} aria-hidden="true" />
            <span>{words.waiting}</span>
          </p>
          <p className={page.hint}>{words.notArrived}</p>
        </>
      )}
    </>
  )
}
