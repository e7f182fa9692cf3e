import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ask } from '../../api/client.js'
import { Dialog } from '../../parts/Dialog.js'
import { Form, FormEnd } from '../../parts/Form.js'
import { fieldErrors } from '../../parts/field-errors.js'
import page from '../../parts/page.module.css'
import { siteTexts as words } from '../../texts/sites.js'
import { AddressField, addressIn } from './AddressField.js'
import { type Site, shownUrl } from './model.js'
import { refreshSites } from './queries.js'

interface CloneDialogProps {
  readonly site: Site
  readonly onMade: (site: string) => void
  readonly onClose: () => void
}

/** Another page with the same content and look, at another address. */
export function CloneDialog({ site, onMade, onClose }: CloneDialogProps) {
  const client = useQueryClient()
  const [address, setAddress] = useState(() => addressIn(`${shownUrl(site.url)}-2`))
  const clone = useMutation({
    mutationFn: () => {
      const params = { path: { site_id: site.site_guid } }
      return ask(api.POST('/v4/sites/{site_id}/clone', { params, body: { uri: `${address.domain}/${address.path}` } }))
    },
    onSuccess: async ({ site_guid }) => {
      await refreshSites(client, site.group_guid)
      onMade(site_guid)
    },
  })
  const errors = fieldErrors(clone.error, ['uri'])
  return (
    <Dialog onClose={onClose} title={words.clone.title(site.content.display_name || shownUrl(site.url))}>
      <Form onSubmit={() => clone.mutate()}>
        <p className={page.hint}>{words.clone.hint}</p>
        <AddressField group={site.group_guid} address={address} onChange={setAddress} error={errors.of('uri')} />
        <FormEnd
          error={errors.other && clone.error}
          isBusy={clone.isPending}
          action={words.clone.action}
          onClose={onClose}
        />
      </Form>
    </Dialog>
  )
}
