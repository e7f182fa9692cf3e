import { Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Plus, Smartphone } from 'lucide-react'
import { useState } from 'react'
import { api, ask } from '../../api/client.js'
import { Card } from '../../parts/Card.js'
import { ConfirmDialog } from '../../parts/ConfirmDialog.js'
import { Empty } from '../../parts/Empty.js'
import { lazyPart } from '../../parts/lazy-part.js'
import { RowMark, Rows, RowText } from '../../parts/Rows.js'
import { showError } from '../../parts/toasts.js'
import { useIsAdmin } from '../../shell/current-group.js'
import { people } from '../../texts/people.js'
import { texts } from '../../texts/texts.js'
import { type MobileApp, mobileAppsQuery } from '../create/queries.js'
import { systemName } from '../create/routing.js'

const MobileAppDialog = lazyPart(() => import('./MobileAppDialog.js'), 'MobileAppDialog')

/** The mobile apps that links of the organization can open. */
export function MobileAppsCard({ guid }: { readonly guid: string }) {
  const client = useQueryClient()
  const apps = useQuery(mobileAppsQuery(guid))
  const [edited, setEdited] = useState<MobileApp | 'new'>()
  const [removing, setRemoving] = useState<MobileApp>()
  const refresh = () => client.invalidateQueries({ queryKey: mobileAppsQuery(guid).queryKey })
  const remove = useMutation({
    mutationFn: ({ guid: app_guid }: MobileApp) => {
      const params = { path: { organization_guid: guid, app_guid } }
      return ask(api.DELETE('/v4/organizations/{organization_guid}/mobile_apps/{app_guid}', { params }))
    },
    onSuccess: async () => {
      setRemoving(undefined)
      await refresh()
    },
    onError: showError,
  })
  const words = people.settings.apps
  const isAdmin = useIsAdmin()
  const isEmpty = apps.data?.length === 0
  const register = isAdmin && (
    <Button leftSection={<Plus size={16} />} onClick={() => setEdited('new')}>
      {words.register}
    </Button>
  )
  return (
    <Card
      title={isEmpty ? undefined : people.settings.tabs.apps}
      hint={isEmpty ? undefined : words.hint}
      actions={!isEmpty && register}
    >
      <Rows
        query={apps}
        keyOf={(app) => app.guid}
        empty={
          <Empty drawing="apps" title={words.none} action={register}>
            {words.noneHint}
          </Empty>
        }
        row={(app) => (
          <>
            <RowMark>
              <Smartphone size={18} />
            </RowMark>
            <RowText title={app.name}>
              {[systemName(app.os), `${app.uri_scheme}://`, app.app_id ?? app.package_name].filter(Boolean).join(' · ')}
            </RowText>
            {isAdmin && (
              <>
                <Button variant="subtle" onClick={() => setEdited(app)}>
                  {texts.common.edit}
                </Button>
                <Button variant="subtle" color="red" onClick={() => setRemoving(app)}>
                  {texts.common.delete}
                </Button>
              </>
            )}
          </>
        )}
      />
      {edited && (
        <MobileAppDialog
          organization={guid}
          app={edited === 'new' ? undefined : edited}
          onSaved={() => {
            setEdited(undefined)
            void refresh()
          }}
          onClose={() => setEdited(undefined)}
        />
      )}
      {removing && (
        <ConfirmDialog
          title={words.deleteTitle(removing.name)}
          action={texts.common.delete}
          isBusy={remove.isPending}
          onConfirm={() => remove.mutate(removing)}
          onClose={() => setRemoving(undefined)}
        >
          {words.deleteHint}
        </ConfirmDialog>
      )}
    </Card>
  )
}
