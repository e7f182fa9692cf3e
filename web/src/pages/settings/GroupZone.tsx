import { Select } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ask } from '../../api/client.js'
import type { Group } from '../../api/types.js'
import { Dialog } from '../../parts/Dialog.js'
import { Form, FormEnd } from '../../parts/Form.js'
import { showDone } from '../../parts/toasts.js'
import { people } from '../../texts/people.js'
import { texts } from '../../texts/texts.js'

interface GroupZoneProps {
  readonly group: Group
  readonly onClose: () => void
}

const zones = Intl.supportedValuesOf('timeZone')

/** The zone in which all members read the numbers of the group. */
export function GroupZone({ group: { guid, name, time_zone = '' }, onClose }: GroupZoneProps) {
  const [zone, setZone] = useState(time_zone)
  const client = useQueryClient()
  const save = useMutation({
    mutationFn: () => {
      const params = { path: { group_guid: guid } }
      return ask(api.PATCH('/v4/groups/{group_guid}', { params, body: { time_zone: zone } }))
    },
    onSuccess: async () => {
      onClose()
      showDone(texts.common.saved)
      await client.invalidateQueries({ queryKey: ['groups'], exact: true })
    },
  })
  const { settings } = people
  // A name that this browser writes otherwise stays a choice.
  const known = zone === '' || zones.includes(zone) ? zones : [zone, ...zones]
  return (
    <Dialog onClose={onClose} title={settings.timeZoneOf(name)}>
      <Form onSubmit={() => save.mutate()}>
        <Select
          label={settings.timeZone}
          description={settings.timeZoneHint}
          placeholder={settings.noTimeZone}
          data={known.map((value) => ({ value, label: value.replaceAll('_', ' ') }))}
          value={zone || null}
          onChange={(chosen) => setZone(chosen ?? '')}
          limit={100}
          searchable
          openOnFocus={false}
          clearable
          clearButtonProps={{ 'aria-label': settings.noTimeZone }}
          data-autofocus
        />
        <FormEnd error={save.error} isBusy={save.isPending} onClose={onClose} />
      </Form>
    </Dialog>
  )
}
