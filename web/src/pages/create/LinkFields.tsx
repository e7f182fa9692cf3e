/** The fields that making and editing a link have in common. */
import { Checkbox, Textarea, TextInput } from '@mantine/core'
import '@mantine/core/styles/Checkbox.layer.css'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { linkTagsQuery, userQuery } from '../../api/queries.js'
import type { FieldErrors } from '../../parts/field-errors.js'
import { TagsField } from '../../parts/TagsField.js'
import { useGroupGuid } from '../../shell/current-group.js'
import { texts } from '../../texts/texts.js'
import { type Draft, switches } from './draft.js'
import { type ExtraPart, Extras } from './Extras.js'

export const fieldNames = [
  'long_url',
  'domain',
  'keyword',
  'title',
  'note',
  'tags',
  'expiration_at',
  'dynamic_routing',
  'deeplinks',
]

/** Where a form opens, and has the focus. */
export type FormPlace = ExtraPart | keyof Draft['switches'] | 'archived'

/** Text from left to right or from right to left. As a property, the frame of the input would get it. */
const byItsText = (input: HTMLElement | null) => input?.setAttribute('dir', 'auto')

interface LinkFieldsProps {
  readonly draft: Draft
  readonly onChange: (changed: Partial<Draft>) => void
  readonly errors: FieldErrors
  /** Campaigns that the link is in already. */
  readonly campaigns?: readonly string[]
  /** A line below the destination. */
  readonly destinationHint?: ReactNode
  readonly titleHint?: string
  readonly place?: FormPlace | undefined
  /** Whether it can be given a note; one that it has is always shown. */
  readonly hasNote?: boolean
  /** What comes after the destination. */
  readonly children?: ReactNode
}

export function LinkFields({
  draft,
  campaigns = [],
  onChange,
  errors,
  destinationHint,
  titleHint,
  place,
  hasNote = false,
  children,
}: LinkFieldsProps) {
  const { data: knownTags = [] } = useQuery(linkTagsQuery(useGroupGuid()))
  const { data: user } = useQuery(userQuery)
  const byDefault: Draft['switches'] = { private: user?.default_link_privacy === 'private' }
  const [typedTag, setTypedTag] = useState('')
  return (
    <>
      <TextInput
        label={texts.create.destination}
        placeholder="https://example.com/a/very/long/page"
        value={draft.longUrl}
        onChange={({ currentTarget }) => onChange({ longUrl: currentTarget.value })}
        error={errors.of('long_url')}
        description={destinationHint}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        inputMode="url"
        data-destination
        autoComplete="off"
        required
        data-autofocus={place === undefined || undefined}
      />
      {children}
      <TextInput
        label={texts.create.title}
        placeholder={titleHint}
        value={draft.title}
        onChange={({ currentTarget }) => onChange({ title: currentTarget.value })}
        error={errors.of('title')}
        ref={byItsText}
        maxLength={2048}
        autoComplete="off"
      />
      <TagsField
        label={texts.links.filters.tags}
        placeholder={draft.tags.length === 0 ? texts.create.tagsHint : ''}
        data={[...knownTags]}
        value={[...draft.tags]}
        onChange={(tags) => onChange({ tags })}
        typed={typedTag}
        onTyped={setTypedTag}
        error={errors.of('tags')}
        acceptValueOnBlur
      />
      {(hasNote || draft.note !== '') && (
        <Textarea
          label={texts.create.note}
          description={texts.create.noteHint}
          value={draft.note}
          onChange={({ currentTarget }) => onChange({ note: currentTarget.value })}
          error={errors.of('note')}
          ref={byItsText}
          maxLength={2048}
          rows={2}
        />
      )}
      {switches.map((name) => (
        <Checkbox
          key={name}
          {...texts.create.switches[name]}
          data-autofocus={place === name || undefined}
          checked={draft.switches[name] ?? byDefault[name] ?? false}
          onChange={({ currentTarget }) => onChange({ switches: { ...draft.switches, [name]: currentTarget.checked } })}
        />
      ))}
      <Extras draft={draft} campaigns={campaigns} onChange={onChange} errors={errors} place={place} />
    </>
  )
}
