/** The numbers of a whole group. */
import { getRouteApi } from '@tanstack/react-router'
import { PageHead } from '../../parts/PageHead.js'
import { texts } from '../../texts/texts.js'
import { Numbers } from './Numbers.js'

const route = getRouteApi('/$group/numbers')

export function NumbersPage() {
  const { group } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  return (
    <>
      <PageHead title={texts.numbers.title} />
      <Numbers
        subject={{ group }}
        search={search}
        onChange={(changed, replace = false) => void navigate({ search: changed, replace })}
      />
    </>
  )
}
