/** Branded domains of the organization, and whether each works. */
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { Card } from '../../parts/Card.js'
import { Empty } from '../../parts/Empty.js'
import { lazyPart } from '../../parts/lazy-part.js'
import { PageHead } from '../../parts/PageHead.js'
import page from '../../parts/page.module.css'
import { Rows } from '../../parts/Rows.js'
import { useGroup, useGroupGuid, useIsAdmin } from '../../shell/current-group.js'
import { domainTexts as words } from '../../texts/domains.js'
import { texts } from '../../texts/texts.js'
import { useDomains } from '../create/queries.js'
import { DomainRow } from './DomainRow.js'
import { domainsQuery } from './queries.js'

const AddDomain = lazyPart(() => import('./AddDomain.js'), 'AddDomain')

export function DomainsPage() {
  const [usual] = useDomains(useGroupGuid())
  const organization = useGroup()?.organization_guid ?? ''
  const isAdmin = useIsAdmin()
  const [isAdding, setIsAdding] = useState(false)
  const domains = useQuery(domainsQuery(organization))
  const add = isAdmin && (
    <Button leftSection={<Plus size={16} />} onClick={() => setIsAdding(true)}>
      {words.add}
    </Button>
  )
  const isEmpty = domains.data?.length === 0
  return (
    <>
      <PageHead title={texts.shell.domains}>{!isEmpty && add}</PageHead>
      <div className={page.wide}>
        <Card>
          <Rows
            query={domains}
            keyOf={({ domain }) => domain}
            areLinks
            row={(domain) => <DomainRow domain={domain} />}
            empty={
              <Empty drawing="domains" title={words.none} action={add}>
                {words.noneHint}
              </Empty>
            }
          />
        </Card>
        {domains.data && !isEmpty && usual && <p className={page.hint}>{words.usual(usual)}</p>}
      </div>
      {isAdding && <AddDomain organization={organization} onClose={() => setIsAdding(false)} />}
    </>
  )
}
