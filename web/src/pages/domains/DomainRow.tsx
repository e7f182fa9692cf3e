import { Badge, Button, Skeleton } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { api, ask } from '../../api/client.js'
import type { BrandedDomain } from '../../api/types.js'
import { ConfirmDialog } from '../../parts/ConfirmDialog.js'
import { CopyButton } from '../../parts/CopyButton.js'
import { formatAge } from '../../parts/format.js'
import { Problem } from '../../parts/Problem.js'
import { RowText } from '../../parts/Rows.js'
import { showError } from '../../parts/toasts.js'
import { useIsAdmin } from '../../shell/current-group.js'
import { texts } from '../../texts/texts.js'
import styles from './DomainRow.module.css'

export function DomainRow({ domain: { domain, organization_guid, ...listed } }: { readonly domain: BrandedDomain }) {
  const isAdmin = useIsAdmin()
  const client = useQueryClient()
  const [isRemoving, setIsRemoving] = useState(false)
  const path = { organization_guid, domain }
  const key = ['organizations', organization_guid, 'domains']
  const details = useQuery({
    queryKey: [...key, domain],
    queryFn: () => ask(api.GET('/v4/organizations/{organization_guid}/domains/{domain}', { params: { path } })),
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
  const dns = details.data?.dns
  return (
    <>
      <RowText title={domain}>
        {texts.domains.usedBy(listed.group_guids.length)}
        {listed.root_url && ` · ${texts.domains.rootUrl} ${listed.root_url}`}
      </RowText>
      <DnsBadge dns={dns} />
      {isAdmin && (
        <>
          <Button
            variant="default"
            leftSection={<RefreshCw size={16} />}
            loading={verify.isPending}
            onClick={() => verify.mutate()}
          >
            {texts.domains.check}
          </Button>
          <Button variant="subtle" color="red" onClick={() => setIsRemoving(true)}>
            {texts.common.remove}
          </Button>
        </>
      )}
      {details.isError && <Problem error={details.error} onRetry={() => void details.refetch()} />}
      {details.isPending && <Skeleton height={20} />}
      {dns?.checked && !dns.match && (
        <div className={styles.records}>
          <p>{texts.domains.setRecords}</p>
          <table className={styles.table}>
            <tbody>
              {dns.required_records.map(({ type, name, value }) => (
                <tr key={`${type} ${name} ${value}`}>
                  <td>{type}</td>
                  <td>{name}</td>
                  <td>
                    {value}
                    <CopyButton value={value} label={texts.domains.copyValue(value)} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
          <p className={styles.found}>
            {dns.explanation} ({texts.domains.checked} {formatAge(dns.checked_at)})
          </p>
        </div>
      )}
      {isRemoving && (
        <ConfirmDialog
          title={texts.domains.removeTitle(domain)}
          action={texts.common.remove}
          isBusy={remove.isPending}
          onConfirm={() => remove.mutate()}
          onClose={() => setIsRemoving(false)}
        >
          {texts.domains.removeHint}
        </ConfirmDialog>
      )}
    </>
  )
}

function DnsBadge({ dns }: { readonly dns: BrandedDomain['dns'] }) {
  if (!dns) return null
  if (!dns.checked) return <Badge variant="default">{texts.domains.notChecked}</Badge>
  return (
    <Badge variant="light" color={dns.match ? 'green' : 'orange'}>
      {dns.match ? texts.domains.ready : texts.domains.waiting}
    </Badge>
  )
}
