/** What each type of block has of its own. */
import { Checkbox, Select, Textarea, TextInput } from '@mantine/core'
import page from '../../parts/page.module.css'
import { siteTexts as words } from '../../texts/sites.js'
import { type BlockDraft, emptyBlock } from './block-draft.js'
import { ContactFields } from './ContactFields.js'
import { channelName, channelOf, channels } from './channels.js'
import { ImageField } from './ImageField.js'
import { LinkField } from './LinkField.js'
import type { Block, BlockType, Site } from './model.js'
import styles from './sites.module.css'
import { TextLookFields } from './TextLookFields.js'
import { VideoField } from './VideoField.js'

interface BlockFieldsProps {
  readonly site: Site
  readonly type: BlockType
  readonly draft: BlockDraft
  /** The link that the block has. */
  readonly link: Block['content']['link_info'] | undefined
  readonly onChange: (part: Partial<BlockDraft>) => void
}

type TextName = { [Name in keyof BlockDraft]: BlockDraft[Name] extends string ? Name : never }[keyof BlockDraft]

export function BlockFields({ site, type, draft, link, onChange }: BlockFieldsProps) {
  const { group_guid: group } = site
  const text = (name: TextName, props: object = {}) => (
    <TextInput
      label={words.fields[name]}
      value={draft[name]}
      onChange={({ currentTarget }) => onChange({ [name]: currentTarget.value })}
      maxLength={255}
      {...props}
    />
  )
  const description = (
    <Textarea
      label={words.fields.description}
      value={draft.description}
      onChange={({ currentTarget }) => onChange({ description: currentTarget.value })}
      maxLength={1000}
      autosize
      minRows={1}
      maxRows={6}
    />
  )
  const image = (
    <ImageField
      group={group}
      label={words.fields.image_guid}
      value={draft.image_guid}
      onChange={(image_guid) => onChange({ image_guid })}
    />
  )
  const linkField = (isRequired: boolean) => (
    <LinkField group={group} draft={draft} link={link} isRequired={isRequired} onChange={onChange} />
  )
  switch (type) {
    case 'shortlink':
      return (
        <>
          {linkField(true)}
          {text('link_title')}
          {description}
          <div className={styles.pictured}>
            {image}
            <Choice name="layout" values={['button', 'card']} draft={draft} onChange={onChange} />
          </div>
        </>
      )
    case 'social':
      return (
        <>
          {text('url', {
            inputMode: 'url',
            placeholder: 'https://instagram.com/…',
            required: true,
            maxLength: 2048,
            onChange: ({ currentTarget: { value: url } }: { currentTarget: { value: string } }) => {
              const channel = channelOf(url)
              onChange({ url, ...(channel !== 'website' && { channel }) })
            },
          })}
          <Select
            label={words.fields.channel}
            data={channels.map((value) => ({ value, label: words.channels[value] ?? channelName(value) }))}
            value={draft.channel}
            onChange={(channel) => channel && onChange({ channel })}
            allowDeselect={false}
            searchable
          />
        </>
      )
    case 'youtubeVideo':
      return (
        <>
          <VideoField site={site} value={draft.video_url} onChange={(video_url) => onChange({ video_url })} />
          {text('link_title')}
          {description}
          {image}
        </>
      )
    case 'image':
      return (
        <>
          <div className={styles.pictured}>
            {image}
            <Choice name="aspect_ratio" values={['', '1:1', '4:3', '16:9', '3:4']} draft={draft} onChange={onChange} />
          </div>
          {text('link_title')}
          {description}
          {linkField(false)}
        </>
      )
    case 'digital_business_card':
      return (
        <>
          <div className={page.pair}>
            {text('first_name')}
            {text('last_name')}
          </div>
          <div className={page.pair}>
            {text('job_title')}
            {text('company')}
          </div>
          {text('pronouns')}
          {description}
          <ContactFields contacts={draft.contacts} onChange={(contacts) => onChange({ contacts })} />
          <div className={styles.pictured}>
            {image}
            <Choice name="layout" values={['card', 'inline', 'button']} draft={draft} onChange={onChange} />
          </div>
          <Checkbox
            label={words.fields.download_enabled}
            checked={draft.download_enabled}
            onChange={({ currentTarget }) => onChange({ download_enabled: currentTarget.checked })}
          />
        </>
      )
    case 'text_block':
      return (
        <>
          <Textarea
            label={words.fields.text}
            value={draft.text}
            onChange={({ currentTarget }) => onChange({ text: currentTarget.value })}
            maxLength={5000}
            autosize
            minRows={3}
            maxRows={12}
            required
          />
          <TextLookFields page={site.appearance} look={draft.look} onChange={(look) => onChange({ look })} />
        </>
      )
    default:
      return (
        <>
          {text('link_title')}
          {description}
        </>
      )
  }
}

interface ChoiceProps<Name extends 'layout' | 'aspect_ratio'> {
  readonly name: Name
  readonly values: readonly BlockDraft[Name][]
  readonly draft: BlockDraft
  readonly onChange: (part: Partial<BlockDraft>) => void
}

function Choice<Name extends 'layout' | 'aspect_ratio'>({ name, values, draft, onChange }: ChoiceProps<Name>) {
  return (
    <Select
      label={words.fields[name]}
      // An empty value would count as none.
      data={values.map((value) => ({ value: value || 'none', label: words.choices[value] ?? value }))}
      value={draft[name] || 'none'}
      onChange={(chosen) => onChange({ [name]: chosen === 'none' ? emptyBlock.aspect_ratio : chosen })}
      allowDeselect={false}
    />
  )
}
