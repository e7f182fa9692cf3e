/** The analytics of a campaign, with its channels side by side, and what can be done with it. */
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Link2, Pencil, Plus } from 'lucide-react'
import { useState } from 'react'
import { api, ask } from '../../api/client.js'
import { BackLink } from '../../parts/BackLink.js'
import { Empty } from '../../parts/Empty.js'
import { lazyPart } from '../../parts/lazy-part.js'
import { PageHead } from '../../parts/PageHead.js'
import { Problem } from '../../parts/Problem.js'
import page from '../../parts/page.module.css'
import { useMayWrite } from '../../shell/current-group.js'
import { campaignTexts } from '../../texts/campaigns.js'
import { texts } from '../../texts/texts.js'
import { Analytics } from '../analytics/Analytics.js'
import { CompareButton } from '../analytics/CompareButton.js'
import type { AnalyticsSearch } from '../analytics/search.js'
import styles from './CampaignPage.module.css'
import { ChannelsCard } from './ChannelsCard.js'
import { contentsQuery } from './queries.js'

const CampaignDialog = lazyPart(() => import('./CampaignDialog.js'), 'CampaignDialog')
const route = getRouteApi('/$group/campaigns/$campaign')

export function CampaignPage() {
  const { group, campaign } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const mayWrite = useMayWrite()
  const [isEditing, setIsEditing] = useState(false)
  const found = useQuery({
    queryKey: ['groups', group, 'campaigns', campaign],
    queryFn: () => ask(api.GET('/v4/campaigns/{campaign_guid}', { params: { path: { campaign_guid: campaign } } })),
  })
  const { data: contents } = useQuery(contentsQuery(group, campaign))
  if (found.isError) return <Problem error={found.error} onRetry={() => void found.refetch()} />
  const { range, from, to, zone } = search
  const props = {
    subject: { group, campaign },
    search,
    onChange: (changed: AnalyticsSearch, replace = false) => void navigate({ search: changed, replace }),
  }
  const add = mayWrite && (
    <Button
      leftSection={<Plus size={16} />}
      renderRoot={(given) => <Link to="/$group/campaigns/new" params={{ group }} search={{ campaign }} {...given} />}
    >
      {campaignTexts.addLinks}
    </Button>
  )
  return (
    <>
      <BackLink to="/$group/campaigns" params={{ group }}>
        {texts.shell.campaigns}
      </BackLink>
      <PageHead title={found.data?.name ?? texts.shell.campaigns}>
        {mayWrite && found.data && (
          <Button variant="default" leftSection={<Pencil size={16} />} onClick={() => setIsEditing(true)}>
            {texts.common.edit}
          </Button>
        )}
        <Button
          variant="default"
          leftSection={<Link2 size={16} />}
          renderRoot={(given) => <Link to="/$group/links" params={{ group }} search={{ campaign }} {...given} />}
        >
          {campaignTexts.links}
        </Button>
        <CompareButton search={{ range, from, to, zone, kind: 'campaigns', ids: [campaign] }} />
        {contents?.links !== 0 && add}
      </PageHead>
      {found.data && (
        <p className={styles.about}>
          {[found.data.description, contents && campaignTexts.counted(contents.channels, contents.links)]
            .filter(Boolean)
            .join(' · ')}
        </p>
      )}
      {contents?.links === 0 ? (
        <div className={page.wide}>
          <Empty drawing="campaigns" title={campaignTexts.noLinks} action={add}>
            {campaignTexts.noLinksHint}
          </Empty>
        </div>
      ) : (
        <Analytics {...props}>
          <ChannelsCard {...props} />
        </Analytics>
      )}
      {isEditing && (
        <CampaignDialog
          group={group}
          campaign={found.data}
          onClose={() => setIsEditing(false)}
          onDeleted={() => void navigate({ to: '/$group/campaigns', params: { group }, search: {} })}
        />
      )}
    </>
  )
}
