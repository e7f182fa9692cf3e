/** UTM parameters of the destination, typed or from a template of the group. */
import { Button, Select, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ask } from '../../api/client.js'
import { errorText } from '../../parts/Problem.js'
import { RunButton } from '../../parts/RunButton.js'
import { showDone, showError } from '../../parts/toasts.js'
import { texts } from '../../texts/texts.js'
import styles from './LinkForm.module.css'
import { utmTemplatesQuery } from './queries.js'
import { readUtm, type Utm, utmNames, withUtm } from './utm.js'

interface UtmBuilderProps {
  readonly group: string
  readonly longUrl: string
  readonly onChange: (longUrl: string) => void
}

export function UtmBuilder({ group, longUrl, onChange }: UtmBuilderProps) {
  const utm = readUtm(longUrl)
  return (
    <div className={styles.panel}>
      <Templates group={group} utm={utm} onChoose={(chosen) => onChange(withUtm(longUrl, chosen))} />
      <div className={styles.pair}>
        {utmNames.map((name) => (
          <TextInput
            key={name}
            label={texts.create.utm.names[name]}
            placeholder={texts.create.utm.examples[name]}
            value={utm[name] ?? ''}
            onChange={({ currentTarget }) => onChange(withUtm(longUrl, { [name]: currentTarget.value }))}
            maxLength={255}
            autoComplete="off"
          />
        ))}
      </div>
    </div>
  )
}

interface TemplatesProps {
  readonly group: string
  readonly utm: Utm
  readonly onChoose: (utm: Utm) => void
}

function Templates({ group, utm, onChoose }: TemplatesProps) {
  const client = useQueryClient()
  const { data: templates = [] } = useQuery(utmTemplatesQuery(group))
  const [chosen, setChosen] = useState<string | null>(null)
  const [name, setName] = useState('')
  const [isNaming, setIsNaming] = useState(false)
  const refresh = () => client.invalidateQueries({ queryKey: ['groups', group, 'utm_templates'] })
  const save = useMutation({
    mutationFn: () => {
      const body = { name: name.trim(), ...wireOf(utm) }
      return ask(api.POST('/v4/groups/{group_guid}/utm_templates', { params: { path: { group_guid: group } }, body }))
    },
    onSuccess: async (template) => {
      await refresh()
      showDone(texts.create.utm.saved(template.name))
      setChosen(template.guid)
      setIsNaming(false)
      setName('')
    },
  })
  const path = { group_guid: group, template_guid: chosen ?? '' }
  const update = useMutation({
    mutationFn: () =>
      ask(api.PATCH('/v4/groups/{group_guid}/utm_templates/{template_guid}', { params: { path }, body: wireOf(utm) })),
    onSuccess: async (template) => {
      await refresh()
      showDone(texts.create.utm.saved(template.name))
    },
    onError: showError,
  })
  const remove = useMutation({
    mutationFn: () => ask(api.DELETE('/v4/groups/{group_guid}/utm_templates/{template_guid}', { params: { path } })),
    onSuccess: async () => {
      setChosen(null)
      await refresh()
    },
    onError: showError,
  })
  const choose = (guid: string) => {
    setChosen(guid)
    const template = templates.find((each) => each.guid === guid)
    if (template) onChoose(utmOf(template))
  }
  const template = templates.find(({ guid }) => guid === chosen)
  const isChanged = template && utmNames.some((each) => (utm[each] ?? '') !== template[`utm_${each}`])
  const isEmpty = utmNames.every((each) => !utm[each])
  return (
    <div className={styles.templates}>
      <Select
        label={texts.create.utm.template}
        placeholder={templates.length > 0 ? texts.create.utm.choose : texts.create.utm.none}
        data={templates.map(({ guid, name: label }) => ({ value: guid, label }))}
        value={chosen}
        // Also when it is chosen already: the destination may have changed since.
        onOptionSubmit={choose}
        onChange={(guid) => guid === null && setChosen(null)}
        allowDeselect={false}
        disabled={templates.length === 0}
        searchable
        clearable
      />
      {isNaming ? (
        <>
          <TextInput
            label={texts.create.utm.name}
            value={name}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || event.ctrlKey || event.metaKey) return
              event.preventDefault()
              save.mutate()
            }}
            error={save.error && errorText(save.error)}
            maxLength={255}
            autoFocus
          />
          <RunButton run={save} variant="light" className={styles.besideLabel} disabled={!name.trim()}>
            {texts.common.save}
          </RunButton>
        </>
      ) : (
        <span className={styles.besideLabel}>
          {isChanged && !isEmpty && (
            <RunButton run={update} variant="light">
              {texts.create.utm.update}
            </RunButton>
          )}
          <Button variant="subtle" disabled={isEmpty} onClick={() => setIsNaming(true)}>
            {texts.create.utm.saveAs}
          </Button>
          {template && (
            <RunButton run={remove} variant="subtle" color="red">
              {texts.common.delete}
            </RunButton>
          )}
        </span>
      )}
    </div>
  )
}

type Wire = Record<`utm_${(typeof utmNames)[number]}`, string>

function wireOf(utm: Utm): Wire {
  return Object.fromEntries(utmNames.map((name) => [`utm_${name}`, utm[name] ?? ''])) as Wire
}

function utmOf(template: Wire): Utm {
  return Object.fromEntries(utmNames.map((name) => [name, template[`utm_${name}`]]))
}
