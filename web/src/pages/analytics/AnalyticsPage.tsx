/** The analytics of a whole group. */
import { getRouteApi } from '@tanstack/react-router'
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
      <PageHead title={texts.analytics.title} />
      <Analytics
        subject={{ group }}
        search={search}
        onChange={(changed, replace = false) => void navigate({ search: changed, replace })}
      />
    </>
  )
}
