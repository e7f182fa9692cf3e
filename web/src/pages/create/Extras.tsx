/** What most links do not need: a row of buttons, each of which opens its part of the form. */
import { Button } from '@mantine/core'
import { CircleAlert, Clock, Megaphone, Smartphone, Split, Tags } from 'lucide-react'
import { useState } from 'react'
import type { FieldErrors } from '../../parts/field-errors.js'
import { formatAge } from '../../parts/format.js'
import { lazyPart } from '../../parts/lazy-part.js'
import { useGroupGuid } from '../../shell/current-group.js'
import { texts } from '../../texts/texts.js'
import type { Draft } from './draft.js'
import { ExpiryField } from './ExpiryField.js'
import styles from './LinkForm.module.css'
import { readUtm } from './utm.js'

const space = <div className={styles.panelSpace} />
const UtmBuilder = lazyPart(() => import('./UtmBuilder.js'), 'UtmBuilder', space)
const RoutingRules = lazyPart(() => import('./RoutingRules.js'), 'RoutingRules', space)
const CampaignPart = lazyPart(() => import('./CampaignPart.js'), 'CampaignPart', space)
const DeepLinks = lazyPart(() => import('./DeepLinks.js'), 'DeepLinks', space)

const parts = { expiry: Clock, utm: Tags, routing: Split, apps: Smartphone, campaign: Megaphone } as const
export type ExtraPart = keyof typeof parts

const names = Object.keys(parts) as ExtraPart[]

interface ExtrasProps {
  readonly draft: Draft
  /** Campaigns that the link is in already. */
  readonly campaigns: readonly string[]
  readonly onChange: (changed: Partial<Draft>) => void
  readonly errors: FieldErrors
  /** If it is one of the parts, that is open. */
  readonly place: string | undefined
}

export function Extras({ draft, campaigns, onChange, errors, place }: ExtrasProps) {
  const group = useGroupGuid()
  const [open, setOpen] = useState(names.find((part) => part === place))
  // What the API refused is shown, even when its part was closed.
  const wrong = wrongParts(errors)
  const shown = open ?? wrong[0]
  return (
    <div className={styles.extras}>
      <div className={styles.extraButtons}>
        {names.map((part) => {
          const Icon = wrong.includes(part) ? CircleAlert : parts[part]
          const value = summaryOf(part, draft, campaigns.length)
          return (
            <Button
              key={part}
              variant={wrong.includes(part) ? 'light' : 'default'}
              color={wrong.includes(part) ? 'red' : undefined}
              size="compact-md"
              className={styles.extra}
              leftSection={<Icon size={15} aria-hidden="true" />}
              aria-expanded={shown === part}
              data-autofocus={place === part || undefined}
              data-set={value !== undefined || undefined}
              onClick={() => setOpen(shown === part ? undefined : part)}
            >
              {value ?? texts.create.extras[part]}
            </Button>
          )
        })}
      </div>
      {shown === 'expiry' && (
        <ExpiryField
          value={draft.expiresAt}
          onChange={(expiresAt) => onChange({ expiresAt })}
          error={errors.of('expiration_at')}
        />
      )}
      {shown === 'utm' && (
        <UtmBuilder group={group} longUrl={draft.longUrl} onChange={(longUrl) => onChange({ longUrl })} />
      )}
      {shown === 'routing' && (
        <RoutingRules
          rules={draft.rules}
          longUrl={draft.longUrl}
          onChange={(rules) => onChange({ rules })}
          error={errors.of('dynamic_routing')}
        />
      )}
      {shown === 'campaign' && <CampaignPart group={group} draft={draft} current={campaigns} onChange={onChange} />}
      {shown === 'apps' && (
        <DeepLinks
          deeplinks={draft.deeplinks}
          onChange={(deeplinks) => onChange({ deeplinks })}
          error={errors.of('deeplinks')}
        />
      )}
    </div>
  )
}

function wrongParts(errors: FieldErrors): readonly ExtraPart[] {
  return names.filter((part) => {
    const field = fieldOf[part]
    return field !== undefined && errors.of(field) !== undefined
  })
}

const fieldOf: Partial<Record<ExtraPart, string>> = {
  expiry: 'expiration_at',
  routing: 'dynamic_routing',
  apps: 'deeplinks',
}

/** What is set, in two words. */
function summaryOf(part: ExtraPart, draft: Draft, campaigns: number): string | undefined {
  const { longUrl, expiresAt, rules, deeplinks, placement, leaves } = draft
  const { create } = texts
  if (part === 'campaign') {
    const count = campaigns - leaves.length + (placement.channel ? 1 : 0)
    return count > 0 ? create.campaign.count(count) : undefined
  }
  if (part === 'expiry') return expiresAt ? create.ends(formatAge(new Date(expiresAt))) : undefined
  if (part === 'routing') return rules.length > 0 ? create.routing.count(rules.length) : undefined
  if (part === 'apps') return deeplinks.length > 0 ? create.apps.count(deeplinks.length) : undefined
  const set = Object.keys(readUtm(longUrl)).length
  return set > 0 ? create.utm.count(set) : undefined
}
