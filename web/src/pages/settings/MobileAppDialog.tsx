import { Select, Textarea, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ask } from '../../api/client.js'
import { Dialog } from '../../parts/Dialog.js'
import { Form, FormEnd, useField } from '../../parts/Form.js'
import { fieldErrors } from '../../parts/field-errors.js'
import page from '../../parts/page.module.css'
import { people } from '../../texts/people.js'
import type { MobileApp } from '../create/queries.js'
import { systemName } from '../create/routing.js'

interface MobileAppDialogProps {
  readonly organization: string
  /** Undefined: a new one. */
  readonly app: MobileApp | undefined
  readonly onSaved: () => void
  readonly onClose: () => void
}

const systems = ['ios', 'android'] as const
const fieldNames = ['name', 'uri_scheme', 'store_url', 'app_id', 'paths', 'package_name', 'sha256_cert_fingerprints']

/** A mobile app: what opens it, and what phones check before they open links in it. */
export function MobileAppDialog({ organization, app, onSaved, onClose }: MobileAppDialogProps) {
  const [os, setOs] = useState<(typeof systems)[number]>(app?.os === 'android' ? 'android' : 'ios')
  const name = useField(app?.name ?? '')
  const scheme = useField(app?.uri_scheme ?? '')
  const store = useField(app?.store_url ?? '')
  // One identity and one list in both systems, under names of their own.
  const identity = useField(app?.app_id ?? app?.package_name ?? '')
  const list = useField((app?.paths ?? app?.sha256_cert_fingerprints ?? []).join('\n'))
  const save = useMutation({
    mutationFn: () => {
      const fields = { name: name.value.trim(), uri_scheme: scheme.value.trim(), store_url: store.value.trim() }
      const body =
        os === 'ios'
          ? { ...fields, os, ...iosOf(identity.value, list.value) }
          : { ...fields, os, ...androidOf(identity.value, list.value) }
      const path = { organization_guid: organization }
      if (!app) return ask(api.POST('/v4/organizations/{organization_guid}/mobile_apps', { params: { path }, body }))
      const params = { path: { ...path, app_guid: app.guid } }
      return ask(api.PATCH('/v4/organizations/{organization_guid}/mobile_apps/{app_guid}', { params, body }))
    },
    onSuccess: onSaved,
  })
  const errors = fieldErrors(save.error, fieldNames)
  const words = people.settings.apps
  return (
    <Dialog onClose={onClose} title={app ? app.name : words.register}>
      <Form onSubmit={() => save.mutate()} onChange={() => save.isError && save.reset()}>
        <div className={page.pair}>
          <TextInput label={words.name} {...name.input} error={errors.of('name')} required data-autofocus />
          <Select
            label={words.system}
            data={systems.map((value) => ({ value, label: systemName(value) }))}
            value={os}
            onChange={(chosen) => setOs(chosen === 'android' ? 'android' : 'ios')}
            disabled={app !== undefined}
            allowDeselect={false}
          />
        </div>
        <TextInput
          label={words.scheme}
          description={words.schemeHint}
          placeholder="shop"
          {...scheme.input}
          error={errors.of('uri_scheme')}
          autoComplete="off"
          required
        />
        <TextInput
          label={words.store}
          description={words.storeHint}
          placeholder="https://apps.example.com/shop"
          {...store.input}
          error={errors.of('store_url')}
          inputMode="url"
        />
        <TextInput
          label={os === 'ios' ? words.appId : words.packageName}
          description={words.identityHint}
          placeholder={os === 'ios' ? 'ABCDE12345.com.example.shop' : 'com.example.shop'}
          {...identity.input}
          error={errors.of('app_id') ?? errors.of('package_name')}
          autoComplete="off"
        />
        <Textarea
          label={os === 'ios' ? words.paths : words.fingerprints}
          placeholder={os === 'ios' ? '/products/*' : undefined}
          rows={2}
          {...list.input}
          error={errors.of('paths') ?? errors.of('sha256_cert_fingerprints')}
        />
        <FormEnd error={errors.other && save.error} isBusy={save.isPending} onClose={onClose} />
      </Form>
    </Dialog>
  )
}

/** What is empty is not sent: the API has its own values for it. */
function iosOf(app_id: string, list: string) {
  const paths = linesOf(list)
  return { ...(app_id.trim() && { app_id: app_id.trim() }), ...(paths.length > 0 && { paths }) }
}

function androidOf(package_name: string, list: string) {
  return { ...(package_name.trim() && { package_name: package_name.trim() }), sha256_cert_fingerprints: linesOf(list) }
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
}
