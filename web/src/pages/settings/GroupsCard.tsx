import { Button, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ask } from '../../api/client.js'
import { groupsQuery } from '../../api/queries.js'
import type { Group } from '../../api/types.js'
import { Card } from '../../parts/Card.js'
import { type Field, Form, useField } from '../../parts/Form.js'
import { lazyPart } from '../../parts/lazy-part.js'
import { errorText } from '../../parts/Problem.js'
import page from '../../parts/page.module.css'
import { Rows, RowText } from '../../parts/Rows.js'
import { people } from '../../texts/people.js'
import { texts } from '../../texts/texts.js'
import styles from './settings.module.css'

const GroupZone = lazyPart(() => import('./GroupZone.js'), 'GroupZone')

/** The groups of the organization that the person is in; administrators add and rename them, and set their time zones. */
export function GroupsCard({ guid, isAdmin }: { readonly guid: string; readonly isAdmin: boolean }) {
  const groups = useQuery(groupsQuery)
  const [renamed, setRenamed] = useState<string>()
  const [zoned, setZoned] = useState<Group>()
  const own = { ...groups, data: groups.data?.filter(({ organization_guid }) => organization_guid === guid) }
  const { settings } = people
  const mayChange = ({ role }: Group) => role === 'org-admin' || role === 'group-admin'
  return (
    <Card title={settings.groups} hint={settings.groupsHint}>
      <Rows
        query={own}
        keyOf={(group) => group.guid}
        empty={null}
        row={(group) =>
          renamed === group.guid ? (
            <RenameGroup group={group} onDone={() => setRenamed(undefined)} />
          ) : (
            <>
              <RowText title={group.name}>
                {[
                  group.guid,
                  settings.roles[group.role as keyof typeof settings.roles] ?? group.role,
                  group.time_zone?.replaceAll('_', ' '),
                ]
                  .filter(Boolean)
                  .join(' · ')}
              </RowText>
              {mayChange(group) && (
                <span className={styles.actions}>
                  <Button variant="subtle" onClick={() => setZoned(group)}>
                    {settings.timeZone}
                  </Button>
                  <Button variant="subtle" onClick={() => setRenamed(group.guid)}>
                    {settings.rename}
                  </Button>
                </span>
              )}
            </>
          )
        }
      />
      {isAdmin && <NewGroup guid={guid} />}
      {zoned && <GroupZone group={zoned} onClose={() => setZoned(undefined)} />}
    </Card>
  )
}

function RenameGroup({ group, onDone }: { readonly group: Group; readonly onDone: () => void }) {
  const name = useField(group.name)
  const client = useQueryClient()
  const save = useMutation({
    mutationFn: () => {
      const params = { path: { group_guid: group.guid } }
      return ask(api.PATCH('/v4/groups/{group_guid}', { params, body: { name: name.value.trim() } }))
    },
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['groups'], exact: true })
      onDone()
    },
  })
  return (
    <NameLine
      label={people.settings.renameGroup}
      action={texts.common.save}
      name={name}
      save={save}
      onCancel={onDone}
    />
  )
}

function NewGroup({ guid }: { readonly guid: string }) {
  const name = useField('')
  const client = useQueryClient()
  const save = useMutation({
    mutationFn: () => {
      const params = { path: { organization_guid: guid } }
      const body = { name: name.value.trim() }
      return ask(api.POST('/v4/organizations/{organization_guid}/groups', { params, body }))
    },
    onSuccess: async () => {
      name.set('')
      await client.invalidateQueries({ queryKey: ['groups'], exact: true })
    },
  })
  const { settings } = people
  return <NameLine label={settings.newGroup} action={settings.createGroup} name={name} save={save} />
}

interface NameLineProps {
  readonly label: string
  readonly action: string
  readonly name: Field
  readonly save: { readonly isPending: boolean; readonly error: unknown; mutate(): void }
  readonly onCancel?: () => void
}

function NameLine({ label, action, name, save, onCancel }: NameLineProps) {
  return (
    <Form onSubmit={() => save.mutate()} className={`${page.line} ${onCancel ? '' : page.spaced}`}>
      <TextInput
        aria-label={label}
        placeholder={label}
        {...name.input}
        error={save.error ? errorText(save.error) : undefined}
        autoFocus={onCancel !== undefined}
        required
      />
      {onCancel && (
        <Button variant="default" onClick={onCancel}>
          {texts.common.cancel}
        </Button>
      )}
      <Button type="submit" variant={onCancel ? 'filled' : 'default'} loading={save.isPending}>
        {action}
      </Button>
    </Form>
  )
}
