/** Where the page is, and how to hand it on. A new address is live at once, and the former ones lead to it. */
import { Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useState } from 'react'
import { api, ask } from '../../api/client.js'
import { Card } from '../../parts/Card.js'
import { ConfirmDialog } from '../../parts/ConfirmDialog.js'
import { Form, FormEnd } from '../../parts/Form.js'
import { fieldErrors } from '../../parts/field-errors.js'
import { formatDay } from '../../parts/format.js'
import page from '../../parts/page.module.css'
import { RowText } from '../../parts/Rows.js'
import rows from '../../parts/Rows.module.css'
import { showDone, showError } from '../../parts/toasts.js'
import { siteTexts as words } from '../../texts/sites.js'
import { texts } from '../../texts/texts.js'
import { AddressField, addressIn } from './AddressField.js'
import type { Site } from './model.js'
import { refreshSites } from './queries.js'
import { SiteShare } from './SiteShare.js'

interface ShareTabProps {
  readonly site: Site
  readonly mayWrite: boolean
}

type Redirect = Site['redirects'][number]

export function ShareTab({ site, mayWrite }: ShareTabProps) {
  const [removing, setRemoving] = useState<Redirect>()
  return (
    <>
      <Card title={words.tabs.share}>
        {site.last_published ? <SiteShare site={site} /> : <p className={page.hint}>{words.notYet}</p>}
      </Card>
      {mayWrite && <AddressCard key={site.url} site={site} />}
      {site.redirects.length > 0 && (
        <Card title={words.formerAddresses}>
          <p className={page.hint}>{words.formerHint}</p>
          <ul className={rows.rows}>
            {site.redirects.map((redirect) => (
              <li key={redirect.redirect_guid} className={rows.row}>
                <RowText title={redirect.uri}>{words.since(formatDay(redirect.created))}</RowText>
                {mayWrite && (
                  <Button
                    variant="default"
                    size="compact-sm"
                    leftSection={<X size={14} />}
                    aria-label={words.removeRedirect(redirect.uri)}
                    onClick={() => setRemoving(redirect)}
                  >
                    {texts.common.remove}
                  </Button>
                )}
              </li>
            ))}
          </ul>
        </Card>
      )}
      {removing && <RemoveRedirect site={site} redirect={removing} onClose={() => setRemoving(undefined)} />}
    </>
  )
}

function AddressCard({ site }: { readonly site: Site }) {
  const client = useQueryClient()
  const [address, setAddress] = useState(() => addressIn(site.url))
  const uri = `${address.domain}/${address.path}`
  const change = useMutation({
    mutationFn: () =>
      ask(api.PATCH('/v4/sites/{site_id}', { params: { path: { site_id: site.site_guid } }, body: { uri } })),
    onSuccess: async () => {
      await refreshSites(client, site.group_guid)
      showDone(words.addressChanged)
    },
  })
  const errors = fieldErrors(change.error, ['uri'])
  return (
    <Card title={words.address}>
      <Form onSubmit={() => change.mutate()}>
        <p className={page.hint}>{words.addressHint}</p>
        <AddressField group={site.group_guid} address={address} onChange={setAddress} error={errors.of('uri')} />
        <FormEnd
          error={errors.other && change.error}
          isBusy={change.isPending}
          isReady={uri !== `${addressIn(site.url).domain}/${addressIn(site.url).path}`}
          action={words.changeAddress}
        />
      </Form>
    </Card>
  )
}

interface RemoveRedirectProps {
  readonly site: Site
  readonly redirect: Redirect
  readonly onClose: () => void
}

function RemoveRedirect({ site, redirect: { uri, domain, keyword }, onClose }: RemoveRedirectProps) {
  const client = useQueryClient()
  const remove = useMutation({
    mutationFn: () => {
      const params = { path: { site_id: site.site_guid, domain, keyword } }
      return ask(api.DELETE('/v4/sites/{site_id}/redirects/{domain}/{keyword}', { params }))
    },
    onSuccess: async () => {
      await refreshSites(client, site.group_guid)
      onClose()
    },
    onError: showError,
  })
  return (
    <ConfirmDialog
      title={words.removeRedirectTitle(uri)}
      action={texts.common.remove}
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      {words.removeRedirectHint}
    </ConfirmDialog>
  )
}
