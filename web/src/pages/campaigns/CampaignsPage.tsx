/** Campaigns of the group, each with its channels. */
import { Badge, Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Megaphone, Plus } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { api, ask } from '../../api/client.js'
import type { Campaign } from '../../api/types.js'
import { Card } from '../../parts/Card.js'
import { formatAge } from '../../parts/format.js'
import { PageHead } from '../../parts/PageHead.js'
import { Message } from '../../parts/Problem.js'
import page from '../../parts/page.module.css'
import { Rows, RowText } from '../../parts/Rows.js'
import { useMayWrite } from '../../shell/current-group.js'
import { texts } from '../../texts/texts.js'
import styles from './CampaignsPage.module.css'

const CampaignDialog = lazy(async () => ({ default: (await import('./CampaignDialog.js')).CampaignDialog }))
const route = getRouteApi('/$group/campaigns')

export function CampaignsPage() {
  const { group } = route.useParams()
  const mayWrite = useMayWrite()
  const [edited, setEdited] = useState<Campaign | 'new'>()
  const campaigns = useQuery({
    queryKey: ['groups', group, 'campaigns'],
    queryFn: async () => (await ask(api.GET('/v4/campaigns', { params: { query: { group_guid: group } } }))).campaigns,
  })
  const create = mayWrite && (
    <Button leftSection={<Plus size={16} />} onClick={() => setEdited('new')}>
      {texts.campaigns.create}
    </Button>
  )
  return (
    <>
      <PageHead title={texts.shell.campaigns}>{create}</PageHead>
      <div className={page.wide}>
        <Card>
          <Rows
            query={campaigns}
            keyOf={({ guid }) => guid}
            row={(campaign) => (
              <>
                <RowText
                  title={
                    <Link to="/$group/campaigns/$campaign" params={{ group, campaign: campaign.guid }}>
                      {campaign.name}
                    </Link>
                  }
                >
                  {campaign.description || `${texts.campaigns.created} ${formatAge(campaign.created)}`}
                </RowText>
                <Channels group={group} campaign={campaign.guid} />
                {mayWrite && (
                  <Button variant="default" onClick={() => setEdited(campaign)}>
                    {texts.common.edit}
                  </Button>
                )}
              </>
            )}
            empty={
              <Message title={texts.campaigns.none} picture={<Megaphone size={22} />}>
                {texts.campaigns.noneHint}
              </Message>
            }
          />
        </Card>
      </div>
      <Suspense>
        {edited && (
          <CampaignDialog
            group={group}
            campaign={edited === 'new' ? undefined : edited}
            onClose={() => setEdited(undefined)}
          />
        )}
      </Suspense>
    </>
  )
}

function Channels({ group, campaign }: { readonly group: string; readonly campaign: string }) {
  const { data = [] } = useQuery({
    queryKey: ['groups', group, 'channels', campaign],
    queryFn: async () =>
      (await ask(api.GET('/v4/channels', { params: { query: { group_guid: group, campaign_guid: campaign } } })))
        .channels,
  })
  return (
    <span className={styles.channels}>
      {data.map(({ guid, name }) => (
        <Badge key={guid} variant="default" tt="none" fw={500}>
          {name}
        </Badge>
      ))}
    </span>
  )
}
