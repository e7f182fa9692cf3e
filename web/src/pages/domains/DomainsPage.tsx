/** Branded domains of the organization: which there are, what DNS they need, whether it is set. */
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Globe, Plus } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { api, ask } from '../../api/client.js'
import { Card } from '../../parts/Card.js'
import { PageHead } from '../../parts/PageHead.js'
import { Message } from '../../parts/Problem.js'
import page from '../../parts/page.module.css'
import { Rows } from '../../parts/Rows.js'
import { useGroup, useIsAdmin } from '../../shell/current-group.js'
import { people } from '../../texts/people.js'
import { texts } from '../../texts/texts.js'
import { DomainRow } from './DomainRow.js'

const AddDomain = lazy(async () => ({ default: (await import('./AddDomain.js')).AddDomain }))

export function DomainsPage() {
  const organization = useGroup()?.organization_guid ?? ''
  const isAdmin = useIsAdmin()
  const [isAdding, setIsAdding] = useState(false)
  const domains = useQuery({
    queryKey: ['organizations', organization, 'domains'],
    queryFn: async () => {
      const params = { path: { organization_guid: organization } }
      return (await ask(api.GET('/v4/organizations/{organization_guid}/domains', { params }))).domains
    },
    enabled: organization !== '',
  })
  const add = isAdmin && (
    <Button leftSection={<Plus size={16} />} onClick={() => setIsAdding(true)}>
      {people.domains.add}
    </Button>
  )
  return (
    <>
      <PageHead title={texts.shell.domains}>{add}</PageHead>
      <div className={page.wide}>
        <Card>
          <Rows
            query={domains}
            keyOf={({ domain }) => domain}
            row={(domain) => <DomainRow domain={domain} />}
            empty={
              <Message title={people.domains.none} picture={<Globe size={22} />}>
                {people.domains.noneHint}
              </Message>
            }
          />
        </Card>
      </div>
      <Suspense>{isAdding && <AddDomain organization={organization} onClose={() => setIsAdding(false)} />}</Suspense>
    </>
  )
}
