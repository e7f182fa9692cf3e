/** One destination, many channels: a link with its own UTM parameters for each, in one campaign. */
import { Button, Select, TextInput } from '@mantine/core'
import { useIsMutating, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Check, Plus, X } from 'lucide-react'
import { useState } from 'react'
import { refreshGroup } from '../../api/queries.js'
import { BackLink } from '../../parts/BackLink.js'
import { Card } from '../../parts/Card.js'
import { Form, FormEnd, useField } from '../../parts/Form.js'
import icon from '../../parts/IconButton.module.css'
import { useKeptDraft } from '../../parts/kept-draft.js'
import { PageHead } from '../../parts/PageHead.js'
import { errorText, ProblemLine } from '../../parts/Problem.js'
import page from '../../parts/page.module.css'
import { useMayWrite } from '../../shell/current-group.js'
import { campaignTexts } from '../../texts/campaigns.js'
import { texts } from '../../texts/texts.js'
import { channelsQuery, useDomains, utmTemplatesQuery } from '../create/queries.js'
import { type Utm, utmNames } from '../create/utm.js'
import { campaignsQuery } from '../links/queries.js'
import { type Preset, presetNames, presets } from './channel-presets.js'
import { MadeLinks } from './MadeLinks.js'
import {
  type ChannelRow,
  destinationOf,
  emptyDraft,
  isReady,
  type LinksDraft,
  makeLinks,
  nextRow,
  randomKey,
  slugOf,
} from './make-links.js'
import styles from './NewPage.module.css'

const route = getRouteApi('/$group/campaigns/new')

export function NewPage() {
  const { group } = route.useParams()
  const { campaign = '' } = route.useSearch()
  const mayWrite = useMayWrite()
  const [attempt, setAttempt] = useState(0)
  const campaigns = useQuery(campaignsQuery(group))
  return (
    <>
      <BackLink to="/$group/campaigns" params={{ group }}>
        {texts.shell.campaigns}
      </BackLink>
      <PageHead title={campaignTexts.wizard.title} />
      {!mayWrite && <p className={page.hint}>{texts.errors.noAccessHint}</p>}
      <ProblemLine>{mayWrite && campaigns.error && errorText(campaigns.error)}</ProblemLine>
      {mayWrite && campaigns.data && (
        <Wizard
          key={`${group} ${campaign} ${attempt}`}
          group={group}
          campaign={campaign}
          campaigns={campaigns.data}
          onAgain={() => setAttempt(attempt + 1)}
        />
      )}
    </>
  )
}

interface WizardProps {
  readonly group: string
  readonly campaign: string
  readonly campaigns: readonly { readonly guid: string; readonly name: string }[]
  readonly onAgain: () => void
}

function Wizard({ group, campaign, campaigns, onAgain }: WizardProps) {
  const { wizard } = campaignTexts
  const nameOf = (wanted: string) => campaigns.find(({ guid }) => guid === wanted)?.name ?? ''
  const [draft, setDraft, forget] = useKeptDraft<LinksDraft>(`campaign ${group} ${campaign}`, {
    ...emptyDraft,
    campaign,
    name: nameOf(campaign),
  })
  const { data: channels = [] } = useQuery(channelsQuery(group))
  const domains = useDomains(group)
  const client = useQueryClient()
  const mutationKey = ['campaigns', 'make', group, campaign]
  const make = useMutation({
    mutationKey,
    mutationFn: () => makeLinks({ group_guid: group, draft, keep: setDraft }),
    onSettled: () => refreshGroup(client, group),
  })
  // Also by a visit to this page that was left meanwhile.
  const isBusy = useIsMutating({ mutationKey }) > 0
  const change = (changed: Partial<LinksDraft>) => {
    if (make.isError) make.reset()
    setDraft({ ...draft, ...changed })
  }
  const again = () => {
    forget()
    onAgain()
  }
  if (isReady(draft)) return <MadeLinks group={group} draft={draft} onAgain={again} onLeave={forget} />
  const left = draft.rows.filter(({ key }) => !draft.links[key]?.isPlaced).length
  const isBegun = draft.made !== undefined
  // What was made is not changed here.
  const isFixed = isBusy || Object.keys(draft.links).length > 0
  const submit = () => {
    if (!isBusy) make.mutate()
  }
  return (
    <Form onSubmit={submit} className={`${page.page} ${styles.steps}`}>
      <Card title={wizard.destination} hint={wizard.destinationHint}>
        <div className={page.form}>
          <TextInput
            label={wizard.url}
            placeholder="https://example.com/sale"
            value={draft.url}
            onChange={({ currentTarget }) => change({ url: currentTarget.value })}
            required
            autoFocus
            disabled={isFixed}
          />
          <div className={page.pair}>
            <Select
              label={campaignTexts.campaign}
              data={[
                { value: '', label: wizard.newCampaign },
                ...campaigns.map(({ guid, name }) => ({ value: guid, label: name })),
              ]}
              value={draft.campaign}
              onChange={(chosen) => chosen !== null && change({ campaign: chosen, name: nameOf(chosen) })}
              allowDeselect={false}
              disabled={isBusy || isBegun}
              searchable
            />
            {draft.campaign === '' && (
              <TextInput
                label={wizard.name}
                value={draft.name}
                onChange={({ currentTarget }) => change({ name: currentTarget.value })}
                maxLength={255}
                required
                disabled={isBusy || isBegun}
              />
            )}
            <TextInput
              label="utm_campaign"
              value={draft.utmCampaign ?? slugOf(draft.name)}
              onChange={({ currentTarget }) => change({ utmCampaign: currentTarget.value })}
              maxLength={255}
              disabled={isFixed}
            />
            {domains.length > 1 && (
              <Select
                label={texts.create.domain}
                data={[...domains]}
                value={draft.domain || (domains[0] ?? '')}
                onChange={(domain) => domain && change({ domain })}
                allowDeselect={false}
                disabled={isBusy}
              />
            )}
          </div>
        </div>
      </Card>
      <Card title={wizard.channels} hint={wizard.channelsHint}>
        <Chips draft={draft} known={channels} isBusy={isBusy} onChange={(rows) => change({ rows })} />
      </Card>
      <Card title={wizard.links} hint={wizard.linksHint}>
        {draft.rows.length === 0 && <p className={page.hint}>{wizard.noLinks}</p>}
        {draft.rows.length > 0 && (
          <ul className={styles.rows}>
            {draft.rows.map((row) => (
              <Row
                key={row.key}
                group={group}
                draft={draft}
                row={row}
                state={stateOf(draft, row, isBusy, make.isError)}
                isBusy={isBusy}
                onChange={(changed) =>
                  change({ rows: draft.rows.map((each) => (each.key === row.key ? changed : each)) })
                }
                onRemove={() => change({ rows: draft.rows.filter(({ key }) => key !== row.key) })}
              />
            ))}
          </ul>
        )}
      </Card>
      {make.isError && (
        <ProblemLine>
          {errorText(make.error)} {isBegun && wizard.stopped(draft.rows.length - left, draft.rows.length)}
        </ProblemLine>
      )}
      <FormEnd
        isBusy={isBusy}
        isReady={draft.rows.length > 0}
        action={isBegun && left < draft.rows.length ? wizard.goOn(left) : wizard.make(left)}
      />
    </Form>
  )
}

type State = 'open' | 'making' | 'done' | 'failed'

function stateOf(draft: LinksDraft, { key }: ChannelRow, isBusy: boolean, hasFailed: boolean): State {
  if (draft.links[key]?.isPlaced) return 'done'
  if (key !== nextRow(draft)?.key) return 'open'
  return isBusy ? 'making' : hasFailed ? 'failed' : 'open'
}

interface ChipsProps {
  readonly draft: LinksDraft
  readonly known: readonly { readonly name: string }[]
  readonly isBusy: boolean
  readonly onChange: (rows: readonly ChannelRow[]) => void
}

/** More channels of the group are found by typing their names. */
const offeredChannels = 12

function Chips({ draft: { rows, links }, known, isBusy, onChange }: ChipsProps) {
  const { wizard } = campaignTexts
  const own = useField('')
  const offered = [
    ...presetNames.map((preset) => wizard.presets[preset]),
    ...known.slice(0, offeredChannels).map(({ name }) => name),
  ]
  const names = new Map([...offered, ...rows.map(({ name }) => name)].map((name) => [name.toLowerCase(), name]))
  const rowOf = (name: string) => rows.find((row) => row.name.toLowerCase() === name.toLowerCase())
  const add = (name: string) => onChange([...rows, { key: randomKey(), name, utm: usualUtm(name) }])
  const addOwn = () => {
    const name = own.value.trim()
    if (name !== '' && !rowOf(name)) add(names.get(name.toLowerCase()) ?? name)
    own.set('')
  }
  return (
    <>
      <fieldset className={styles.chips} aria-label={wizard.channels}>
        {[...names.values()].map((name) => {
          const row = rowOf(name)
          return (
            <button
              key={name}
              type="button"
              className={styles.chip}
              aria-pressed={row !== undefined}
              // What is made stays.
              disabled={isBusy || (row && links[row.key] !== undefined)}
              onClick={() => (row ? onChange(rows.filter(({ key }) => key !== row.key)) : add(name))}
            >
              {row ? <Check size={14} aria-hidden="true" /> : <Plus size={14} aria-hidden="true" />}
              {name}
            </button>
          )
        })}
      </fieldset>
      <div className={styles.own}>
        <TextInput
          aria-label={wizard.own}
          placeholder={wizard.own}
          {...own.input}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return
            event.preventDefault()
            addOwn()
          }}
          maxLength={255}
          disabled={isBusy}
        />
        <Button variant="default" disabled={own.value.trim() === '' || isBusy} onClick={addOwn}>
          {campaignTexts.addChannel}
        </Button>
      </div>
    </>
  )
}

/** Those of the preset with this name; otherwise the name is the source. */
function usualUtm(name: string): Utm {
  const preset = presetNames.find((each: Preset) => campaignTexts.wizard.presets[each] === name)
  return preset ? presets[preset] : { source: slugOf(name) }
}

interface RowProps {
  readonly group: string
  readonly draft: LinksDraft
  readonly row: ChannelRow
  readonly state: State
  /** Links are being made: what is changed now would be lost. */
  readonly isBusy: boolean
  readonly onChange: (row: ChannelRow) => void
  readonly onRemove: () => void
}

const edited = ['source', 'medium', 'content'] as const

function Row({ group, draft, row, state, isBusy, onChange, onRemove }: RowProps) {
  const { wizard } = campaignTexts
  const { data: templates = [] } = useQuery(utmTemplatesQuery(group))
  const isMade = draft.links[row.key] !== undefined
  const use = (guid: string | null) => {
    const template = templates.find((each) => each.guid === guid)
    if (!template) return
    // What the template leaves open stays as it is.
    const set = utmNames.flatMap((name) => (template[`utm_${name}`] ? [[name, template[`utm_${name}`]]] : []))
    onChange({ ...row, utm: { ...row.utm, ...Object.fromEntries(set) } })
  }
  return (
    <li className={styles.row} data-state={state} aria-label={row.name}>
      <div className={styles.rowHead}>
        <strong>{row.name}</strong>
        <span role="status" className={styles.state}>
          {state !== 'open' && wizard.states[state]}
        </span>
        {!isMade && (
          <button
            type="button"
            className={icon.button}
            aria-label={campaignTexts.leave(row.name)}
            disabled={isBusy}
            onClick={onRemove}
          >
            <X size={16} />
          </button>
        )}
      </div>
      {!isMade && (
        <div className={styles.fields}>
          {edited.map((name) => (
            <TextInput
              key={name}
              label={`utm_${name}`}
              value={row.utm[name] ?? ''}
              onChange={({ currentTarget }) => onChange({ ...row, utm: { ...row.utm, [name]: currentTarget.value } })}
              maxLength={255}
              autoComplete="off"
              disabled={isBusy}
            />
          ))}
          {templates.length > 0 && (
            <Select
              label={texts.create.utm.template}
              placeholder={texts.create.utm.choose}
              data={templates.map(({ guid, name: label }) => ({ value: guid, label }))}
              value={null}
              onChange={use}
              disabled={isBusy}
              searchable
            />
          )}
        </div>
      )}
      {draft.url.trim() !== '' && <p className={styles.preview}>{destinationOf(draft, row)}</p>}
    </li>
  )
}
