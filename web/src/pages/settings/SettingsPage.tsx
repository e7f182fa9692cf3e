/** The organization: name, groups, usage, export, tags of the group, members, invitations, mobile apps, webhooks, audit log; for operators all organizations. */
import { Tabs } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { PageHead } from '../../parts/PageHead.js'
import page from '../../parts/page.module.css'
import { useGroup, useIsAdmin, useSeesAll } from '../../shell/current-group.js'
import { people } from '../../texts/people.js'
import { texts } from '../../texts/texts.js'
import { WebhooksCard } from '../webhooks/WebhooksCard.js'
import { AuditLog } from './AuditLog.js'
import { ExportCard } from './ExportCard.js'
import { Invitations } from './Invitations.js'
import { MembersCard } from './MembersCard.js'
import { MobileAppsCard } from './MobileAppsCard.js'
import { OrganizationCard } from './OrganizationCard.js'
import { ProvidersCard } from './ProvidersCard.js'
import { serviceQuery } from './queries.js'
import { ServiceCard } from './ServiceCard.js'
import { type SettingsTab, settingsTabs } from './search.js'
import { TagsCard } from './TagsCard.js'
import { UsageCard } from './UsageCard.js'

const route = getRouteApi('/$group/settings')

export function SettingsPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const organization = useGroup()?.organization_guid
  const isAdmin = useIsAdmin()
  const seesAll = useSeesAll()
  const { isSuccess: isOperator } = useQuery({ ...serviceQuery, enabled: isAdmin })
  const shown = settingsTabs.filter(
    (each) =>
      each === 'organization' || each === 'tags' || (seesAll && (each !== 'service' || (isAdmin && isOperator))),
  )
  const tab = shown.find((each) => each === search.tab) ?? 'organization'
  const list = useRef<HTMLDivElement>(null)
  // Phones show only some of the tabs at once.
  useEffect(() => {
    const chosen = list.current?.querySelector(`[data-tab="${tab}"]`)
    if (shown.length > 1) chosen?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [tab, shown.length])
  return (
    <>
      <PageHead title={texts.shell.settings} />
      <Tabs
        value={tab}
        onChange={(chosen) => void navigate({ search: { tab: chosen as SettingsTab } })}
        keepMounted={false}
      >
        <Tabs.List mb="lg" className={page.tabs} ref={list}>
          {shown.map((each) => (
            <Tabs.Tab key={each} value={each} data-tab={each}>
              {people.settings.tabs[each]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {organization && (
          <div className={page.page}>
            <Tabs.Panel value="organization" className={page.wide}>
              <OrganizationCard guid={organization} />
              <UsageCard guid={organization} />
              <ExportCard />
            </Tabs.Panel>
            <Tabs.Panel value="tags">
              <TagsCard />
            </Tabs.Panel>
            <Tabs.Panel value="members" className={page.wide}>
              <MembersCard guid={organization} />
              <Invitations guid={organization} />
            </Tabs.Panel>
            <Tabs.Panel value="apps">
              <MobileAppsCard guid={organization} />
            </Tabs.Panel>
            <Tabs.Panel value="webhooks">
              <WebhooksCard guid={organization} />
            </Tabs.Panel>
            <Tabs.Panel value="audit">
              {/* Around a long list, which has the whole width. */}
              <div>
                <AuditLog guid={organization} />
              </div>
            </Tabs.Panel>
            <Tabs.Panel value="service" className={page.wide}>
              <ServiceCard />
              <ProvidersCard />
            </Tabs.Panel>
          </div>
        )}
      </Tabs>
    </>
  )
}
