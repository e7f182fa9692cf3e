import { Badge, Button, Skeleton } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { RefreshCw } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { api, ask } from '../../api/client.js'
import { groupsQuery } from '../../api/queries.js'
import type { BrandedDomain, Group } from '../../api/types.js'
import { ConfirmDialog } from '../../parts/ConfirmDialog.js'
import { Problem } from '../../parts/Problem.js'
import { RowText } from '../../parts/Rows.js'
import { showError } from '../../parts/toasts.js'
import { useIsAdmin } from '../../shell/current-group.js'
import { people } from '../../texts/people.js'
import { texts } from '../../texts/texts.js'
import { CertificateLine } from './CertificateLine.js'
import { DnsRecords } from './DnsRecords.js'
import styles from './DomainRow.module.css'

const DomainSettings = lazy(async () => ({ default: (await import('./DomainSettings.js')).DomainSettings }))

// DNS changes take minutes; a check costs the service a few queries. A certificate is read within seconds.
const checkEvery = 15_000
const certificateEvery = 2000

/** Until DNS is right and the certificate is read. */
function pauseUntilNextCheck({ dns, certificate }: Partial<BrandedDomain> = {}): number | false {
  if (certificate?.state === 'checking') return certificateEvery
  return dns && isKnown(dns) && !dns.match ? checkEvery : false
}

/** Whether there are records to set. Otherwise the operator must say where the service is. */
function isKnown({ required_records }: NonNullable<BrandedDomain['dns']>): boolean {
  return required_records.length > 0
}

export function DomainRow({ domain: shown }: { readonly domain: BrandedDomain }) {
  const { domain, organization_guid, ...listed } = shown
  const isAdmin = useIsAdmin()
  const client = useQueryClient()
  const [isRemoving, setIsRemoving] = useState(false)
  const [isEditing, setIsEditing] = useState(false)
  const { data: groups } = useQuery(groupsQuery)
  const path = { organization_guid, domain }
  const key = ['organizations', organization_guid, 'domains']
  const details = useQuery({
    queryKey: [...key, domain],
    queryFn: () => ask(api.GET('/v4/organizations/{organization_guid}/domains/{domain}', { params: { path } })),
    refetchInterval: ({ state }) => pauseUntilNextCheck(state.data),
  })
  const verify = useMutation({
    mutationFn: () =>
      ask(api.POST('/v4/organizations/{organization_guid}/domains/{domain}/verify', { params: { path } })),
    onSuccess: () => client.invalidateQueries({ queryKey: key }),
    onError: showError,
  })
  const remove = useMutation({
    mutationFn: () => ask(api.DELETE('/v4/organizations/{organization_guid}/domains/{domain}', { params: { path } })),
    onSuccess: async () => {
      setIsRemoving(false)
      await client.invalidateQueries({ queryKey: ['organizations', organization_guid] })
    },
    onError: showError,
  })
  const { dns, certificate } = details.data ?? {}
  return (
    <>
      <RowText title={domain}>
        {[
          usedBy(listed.group_guids, groups),
          listed.root_url && people.domains.rootShown(listed.root_url),
          listed.not_found_url && people.domains.notFoundShown(listed.not_found_url),
        ]
          .filter(Boolean)
          .join(' · ')}
      </RowText>
      <DnsBadge dns={dns} />
      {isAdmin && (
        <>
          {((dns && isKnown(dns)) || certificate) && (
            <Button
              variant="default"
              leftSection={<RefreshCw size={16} />}
              loading={verify.isPending}
              onClick={() => verify.mutate()}
            >
              {people.domains.check}
            </Button>
          )}
          <Button variant="default" onClick={() => setIsEditing(true)}>
            {people.domains.settings}
          </Button>
          <Button variant="subtle" color="red" onClick={() => setIsRemoving(true)}>
            {texts.common.remove}
          </Button>
        </>
      )}
      {details.isError && <Problem error={details.error} onRetry={() => void details.refetch()} />}
      {details.isPending && <Skeleton height={20} />}
      {dns && isKnown(dns) && !dns.match && <DnsRecords dns={dns} isUsable={listed.verified && !dns.checked} />}
      {dns && !isKnown(dns) && (
        <p className={styles.certificate}>
          {people.domains.recordsUnknown} {people.domains.httpsNeeds}
        </p>
      )}
      {certificate && <CertificateLine certificate={certificate} />}
      <Suspense>{isEditing && <DomainSettings domain={shown} onClose={() => setIsEditing(false)} />}</Suspense>
      {isRemoving && (
        <ConfirmDialog
          title={people.domains.removeTitle(domain)}
          action={texts.common.remove}
          isBusy={remove.isPending}
          onConfirm={() => remove.mutate()}
          onClose={() => setIsRemoving(false)}
        >
          {people.domains.removeHint}
        </ConfirmDialog>
      )}
    </>
  )
}

/** The names of the groups; those that the person cannot see are counted. */
function usedBy(guids: readonly string[], groups: readonly Group[] = []): string {
  const names = groups.filter(({ guid }) => guids.includes(guid)).map(({ name }) => name)
  return names.length === guids.length && names.length > 0 ? names.join(', ') : people.domains.usedBy(guids.length)
}

function DnsBadge({ dns }: { readonly dns: BrandedDomain['dns'] }) {
  if (!dns) return null
  if (!isKnown(dns)) return <Badge variant="default">{people.domains.recordsUnknownBadge}</Badge>
  return (
    <Badge variant="light" color={dns.match ? 'green' : 'orange'} className={dns.match ? styles.ready : styles.waiting}>
      {dns.match ? people.domains.ready : people.domains.waiting}
    </Badge>
  )
}
