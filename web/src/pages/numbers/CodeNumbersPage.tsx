/** The scans of a QR code. */
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { api, ask } from '../../api/client.js'
import { PageHead } from '../../parts/PageHead.js'
import { Problem } from '../../parts/Problem.js'
import { texts } from '../../texts/texts.js'
import { Numbers } from './Numbers.js'

const route = getRouteApi('/$group/qr-codes/$code/numbers')

export function CodeNumbersPage() {
  const { group, code } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const found = useQuery({
    queryKey: ['groups', group, 'qr-codes', code],
    queryFn: () => ask(api.GET('/v4/qr-codes/{qrcode_id}', { params: { path: { qrcode_id: code } } })),
  })
  if (found.isError) return <Problem error={found.error} onRetry={() => void found.refetch()} />
  return (
    <>
      <PageHead title={found.data?.title || texts.shell.qrCodes} />
      <Numbers
        subject={{ group, code }}
        search={search}
        onChange={(changed, replace = false) => void navigate({ search: changed, replace })}
      />
    </>
  )
}
