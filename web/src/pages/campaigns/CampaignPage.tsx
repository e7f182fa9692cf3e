/** The numbers of a campaign, and its channels side by side. */
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { api, ask } from '../../api/client.js'
import { PageHead } from '../../parts/PageHead.js'
import { Problem } from '../../parts/Problem.js'
import { campaignTexts } from '../../texts/campaigns.js'
import { texts } from '../../texts/texts.js'
import { Analytics } from '../analytics/Analytics.js'
import { ChannelsCard } from './ChannelsCard.js'

const route = getRouteApi('/$group/campaigns/$campaign')

export function CampaignPage() {
  const { group, campaign } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const found = useQuery({
    queryKey: ['groups', group, 'campaigns', campaign],
    queryFn: () => ask(api.GET('/v4/campaigns/{campaign_guid}', { params: { path: { campaign_guid: campaign } } })),
  })
  const subject = { group, campaign }
  if (found.isError) return <Problem error={found.error} onRetry={() => void found.refetch()} />
  return (
    <>
      <PageHead title={found.data?.name ?? texts.shell.campaigns}>
        <Button
          variant="default"
          renderRoot={(props) => <Link to="/$group/links" params={{ group }} search={{ campaign }} {...props} />}
        >
          {campaignTexts.links}
        </Button>
      </PageHead>
      <Analytics
        subject={subject}
        search={search}
        onChange={(changed, replace = false) => void navigate({ search: changed, replace })}
      >
        <ChannelsCard subject={subject} search={search} />
      </Analytics>
    </>
  )
}
