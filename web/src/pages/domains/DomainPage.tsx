/** One branded domain: the steps from its name to a link that works, and which of them is next. */
import { Button, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { CircleCheck, Plus } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { ApiError } from '../../api/client.js'
import { groupsQuery } from '../../api/queries.js'
import type { BrandedDomain } from '../../api/types.js'
import { BackLink } from '../../parts/BackLink.js'
import { PageHead } from '../../parts/PageHead.js'
import { Message, Problem } from '../../parts/Problem.js'
import { openCreate } from '../../shell/create-link.js'
import { useGroup, useMayWrite } from '../../shell/current-group.js'
import { domainTexts as words } from '../../texts/domains.js'
import { DnsStep } from './DnsStep.js'
import { DomainActions } from './DomainActions.js'
import { DomainChip } from './DomainChip.js'
import { pagesOf, usedBy } from './DomainRow.js'
import { type StepName, type StepState, stateOf, stepNames, stepsOf } from './domain-state.js'
import styles from './domains.module.css'
import { GroupsStep } from './GroupsStep.js'
import { HttpsStep, httpsLine } from './HttpsStep.js'
import { PagesStep } from './PagesStep.js'
import { domainQuery, hasLinksQuery } from './queries.js'
import { Step } from './Step.js'
import { TestStep } from './TestStep.js'

const route = getRouteApi('/$group/domains/$domain')

export function DomainPage() {
  const { group, domain: name } = route.useParams()
  const organization = useGroup()?.organization_guid ?? ''
  const { data: domain, error, refetch } = useQuery(domainQuery(organization, name))
  const isMissing = error instanceof ApiError && error.isMissing
  return (
    <>
      <BackLink to="/$group/domains" params={{ group }}>
        {words.allDomains}
      </BackLink>
      <PageHead title={name} state={domain && <DomainChip state={stateOf(domain)} />}>
        {domain && <DomainActions domain={domain} />}
      </PageHead>
      {domain && !isMissing && <SetUp domain={domain} />}
      {isMissing && <Message title={words.missing}>{words.missingHint}</Message>}
      {!domain && !isMissing && error && <Problem error={error} onRetry={() => void refetch()} />}
      {!domain && !error && <Skeleton height={320} />}
    </>
  )
}

function SetUp({ domain }: { readonly domain: BrandedDomain }) {
  const { group } = route.useParams()
  const { data: groups } = useQuery(groupsQuery)
  const [isTesting, setIsTesting] = useState(false)
  const { data: hasLinks } = useQuery(hasLinksQuery(group, domain.domain))
  // Until it is known, no step claims to be next.
  if (hasLinks === undefined) return <Skeleton height={320} />
  const states = stepsOf(domain, hasLinks)
  const lines: Readonly<Record<StepName, string>> = {
    groups: usedBy(domain.group_guids, groups),
    dns: states.dns === 'done' ? words.dnsStep.done : '',
    https: httpsLine(domain),
    pages: pagesOf(domain).join(' · ') || words.pagesStep.none,
    test: hasLinks ? words.testStep.hasLinks : '',
  }
  const contents: Readonly<Record<StepName, ReactNode>> = {
    groups: <GroupsStep domain={domain} />,
    dns: <DnsStep domain={domain} />,
    https: <HttpsStep domain={domain} />,
    pages: <PagesStep domain={domain} />,
    test: <TestStep domain={domain} hasLinks={hasLinks} onMade={() => setIsTesting(true)} />,
  }
  return (
    <>
      <NextStep domain={domain} states={states} />
      <ol className={styles.steps} aria-label={words.steps}>
        {stepNames.map((name, at) => (
          <Step
            key={name}
            title={titles[name]}
            line={lines[name]}
            state={states[name]}
            number={at + 1}
            isKeptOpen={name === 'test' && isTesting}
          >
            {contents[name]}
          </Step>
        ))}
      </ol>
    </>
  )
}

const titles: Readonly<Record<StepName, string>> = {
  groups: words.groupsStep.title,
  dns: words.dnsStep.title,
  https: words.httpsStep.title,
  pages: words.pagesStep.title,
  test: words.testStep.title,
}

interface NextStepProps {
  readonly domain: BrandedDomain
  readonly states: Readonly<Record<StepName, StepState>>
}

/** What to do now, in one sentence; or that all is done. */
function NextStep({ domain, states }: NextStepProps) {
  const { group } = route.useParams()
  const mayWrite = useMayWrite()
  const now = stepNames.find((name) => states[name] === 'now')
  if (now === undefined) {
    return (
      <div className={styles.next} data-done role="status">
        <CircleCheck size={20} aria-hidden="true" />
        <p>{words.allDone(domain.domain)}</p>
        <Button
          variant="default"
          renderRoot={(props) => (
            <Link {...props} to="/$group/links" params={{ group }} search={{ domain: domain.domain }} />
          )}
        >
          {words.showLinks}
        </Button>
        {mayWrite && (
          <Button leftSection={<Plus size={16} />} onClick={() => openCreate()}>
            {words.create}
          </Button>
        )}
      </div>
    )
  }
  const { dns, ...others } = words.nextSteps
  const isUnknown = now === 'dns' && domain.dns?.problem === 'targets_unknown'
  const text = now === 'dns' ? dns(domain.dns?.required_records.length ?? 0) : others[now]
  return (
    <div className={styles.next} role="status">
      <p>
        <strong>{words.next}</strong> {isUnknown ? others.unknown : text}
      </p>
    </div>
  )
}
