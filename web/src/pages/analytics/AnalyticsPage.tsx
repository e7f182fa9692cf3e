/** The analytics of a whole group. */
import { Button } from '@mantine/core'
import { getRouteApi, Link } from '@tanstack/react-router'
import { PanelTop } from 'lucide-react'
import { PageHead } from '../../parts/PageHead.js'
import { texts } from '../../texts/texts.js'
import { Analytics } from './Analytics.js'

const route = getRouteApi('/$group/analytics')

export function AnalyticsPage() {
  const { group } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  return (
    <>
      <PageHead title={texts.analytics.title}>
        <Button
          variant="default"
          leftSection={<PanelTop size={16} aria-hidden="true" />}
          renderRoot={(props) => <Link {...props} to="/$group/analytics/sites" params={{ group }} />}
        >
          {texts.shell.sites}
        </Button>
      </PageHead>
      <Analytics
        subject={{ group }}
        search={search}
        onChange={(changed, replace = false) => void navigate({ search: changed, replace })}
      />
    </>
  )
}
