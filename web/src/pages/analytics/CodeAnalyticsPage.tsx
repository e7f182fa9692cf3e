/** The scans of a QR code. */
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Code, Pencil } from 'lucide-react'
import { useState } from 'react'
import { BackLink } from '../../parts/BackLink.js'
import { lazyPart } from '../../parts/lazy-part.js'
import { PageHead } from '../../parts/PageHead.js'
import { Problem } from '../../parts/Problem.js'
import { useMayWrite } from '../../shell/current-group.js'
import { texts } from '../../texts/texts.js'
import { codeQuery } from '../qr-codes/queries.js'
import { Analytics } from './Analytics.js'

const Studio = lazyPart(() => import('../qr-codes/studio/Studio.js'), 'Studio')
const EmbedDialog = lazyPart(() => import('../qr-codes/EmbedDialog.js'), 'EmbedDialog')

const route = getRouteApi('/$group/qr-codes/$code/analytics')

export function CodeAnalyticsPage() {
  const { group, code } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const mayWrite = useMayWrite()
  const [dialog, setDialog] = useState<'edit' | 'embed'>()
  const found = useQuery(codeQuery(group, code))
  const close = () => setDialog(undefined)
  if (found.isError) return <Problem error={found.error} onRetry={() => void found.refetch()} />
  return (
    <>
      <BackLink to="/$group/qr-codes" params={{ group }}>
        {texts.shell.qrCodes}
      </BackLink>
      <PageHead title={found.data?.title || texts.shell.qrCodes}>
        <Button variant="default" leftSection={<Code size={16} />} onClick={() => setDialog('embed')}>
          {texts.qrCodes.embed}
        </Button>
        {mayWrite && (
          <Button variant="default" leftSection={<Pencil size={16} />} onClick={() => setDialog('edit')}>
            {texts.common.edit}
          </Button>
        )}
      </PageHead>
      <Analytics
        subject={{ group, code }}
        search={search}
        onChange={(changed, replace = false) => void navigate({ search: changed, replace })}
      />
      {dialog === 'edit' && <Studio group={group} code={code} onClose={close} />}
      {dialog === 'embed' && <EmbedDialog group={group} code={code} onClose={close} />}
    </>
  )
}
