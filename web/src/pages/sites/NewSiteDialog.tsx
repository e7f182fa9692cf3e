/** A new page: its name, its address, and what it begins with. */
import { TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ask } from '../../api/client.js'
import { DraftDialog } from '../../parts/DraftDialog.js'
import { Form, FormEnd } from '../../parts/Form.js'
import { fieldErrors } from '../../parts/field-errors.js'
import page from '../../parts/page.module.css'
import { siteTexts as words } from '../../texts/sites.js'
import { AddressField, type SiteAddress } from './AddressField.js'
import { keywordOf } from './keyword.js'
import { Miniature } from './Miniature.js'
import type { Template } from './model.js'
import { makeSite, refreshSites, templatesQuery } from './queries.js'
import styles from './sites.module.css'

interface NewSiteDialogProps {
  readonly group: string
  readonly onMade: (site: string) => void
  readonly onClose: () => void
}

export function NewSiteDialog({ group, onMade, onClose }: NewSiteDialogProps) {
  const client = useQueryClient()
  const [name, setName] = useState('')
  // Until the person changes it, it follows the name.
  const [typed, setTyped] = useState<SiteAddress>()
  const [template, setTemplate] = useState<string>()
  // When a later step fails: the next try goes on with it.
  const [made, setMade] = useState<string>()
  const address = typed ?? { domain: '', path: `m/${keywordOf(name)}` }
  const create = useMutation({
    mutationFn: async () => {
      const site_id = made ?? (await makeSite(client, group, address))
      setMade(site_id)
      const params = { path: { site_id } }
      if (template) {
        await ask(api.POST('/v4/sites/{site_id}/template', { params, body: { template_guid: template } }))
      }
      await ask(api.PATCH('/v4/sites/{site_id}', { params, body: { display_name: name.trim() } }))
      return site_id
    },
    onError: () => refreshSites(client, group),
    onSuccess: async (site) => {
      await refreshSites(client, group)
      onMade(site)
    },
  })
  const errors = fieldErrors(create.error, ['keyword', 'uri', 'domain', 'display_name'])
  return (
    <DraftDialog isChanged={name !== ''} onClose={onClose} title={words.create} size="xl">
      {(leave) => (
        <Form onSubmit={() => create.mutate()}>
          <TextInput
            label={words.name}
            placeholder={words.namePlaceholder}
            value={name}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
            error={errors.of('display_name')}
            maxLength={100}
            required
            data-autofocus
          />
          {made === undefined && (
            <AddressField
              group={group}
              address={address}
              onChange={setTyped}
              error={errors.of('keyword') ?? errors.of('uri') ?? errors.of('domain')}
            />
          )}
          <TemplateChoice value={template} onChange={setTemplate} />
          <FormEnd
            error={errors.other && create.error}
            isBusy={create.isPending}
            action={words.createAction}
            onClose={leave}
          />
        </Form>
      )}
    </DraftDialog>
  )
}

interface TemplateChoiceProps {
  readonly value: string | undefined
  readonly onChange: (template: string | undefined) => void
}

/** By category; the first one are those that most people want. */
export function TemplateChoice({ value, onChange }: TemplateChoiceProps) {
  const { data: templates = [] } = useQuery(templatesQuery)
  const categories = [...new Set(templates.flatMap((each) => each.categories))].sort(
    (one, other) => Number(other === 'Recommended') - Number(one === 'Recommended'),
  )
  const [category, setCategory] = useState<Template['categories'][number]>('Recommended')
  const shown = templates.filter((each) => each.categories.includes(category))
  return (
    <div>
      <div className={styles.categories}>
        <span className={styles.label}>{words.template}</span>
        <fieldset className={styles.tabs} aria-label={words.category}>
          {categories.map((each) => (
            <button
              key={each}
              type="button"
              className={styles.tab}
              aria-pressed={each === category}
              onClick={() => setCategory(each)}
            >
              {words.categories[each] ?? each}
            </button>
          ))}
        </fieldset>
      </div>
      <fieldset className={styles.templates} aria-label={words.template}>
        <TemplateCard name={words.noTemplate} isChosen={value === undefined} onChoose={() => onChange(undefined)} />
        {shown.map((template) => (
          <TemplateCard
            key={template.template_guid}
            template={template}
            name={words.templates[template.template_guid] ?? template.content.display_name}
            isChosen={value === template.template_guid}
            onChoose={() => onChange(template.template_guid)}
          />
        ))}
      </fieldset>
      <p className={page.hint}>{words.templateHint}</p>
    </div>
  )
}

interface TemplateCardProps {
  /** None: an empty page. */
  readonly template?: Template
  readonly name: string
  readonly isChosen: boolean
  readonly onChoose: () => void
}

function TemplateCard({ template, name, isChosen, onChoose }: TemplateCardProps) {
  return (
    <button type="button" className={styles.template} aria-pressed={isChosen} onClick={onChoose}>
      {template ? (
        <Miniature appearance={template.appearance} blocks={template.blocks} />
      ) : (
        <span className={`${styles.miniature} ${styles.empty}`} aria-hidden="true" />
      )}
      <span className={styles.templateName}>{name}</span>
    </button>
  )
}
