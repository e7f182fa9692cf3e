/** Mobile apps that the link opens on phones. */
import { ActionIcon, Button, Select, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Plus, Trash2 } from 'lucide-react'
import { ProblemLine } from '../../parts/Problem.js'
import { useGroup } from '../../shell/current-group.js'
import { texts } from '../../texts/texts.js'
import type { DeepLink } from './draft.js'
import styles from './LinkForm.module.css'
import { mobileAppsQuery } from './queries.js'
import { systemName } from './routing.js'

interface DeepLinksProps {
  readonly deeplinks: readonly DeepLink[]
  readonly onChange: (deeplinks: readonly DeepLink[]) => void
  readonly error: string | undefined
}

const installTypes = ['no_install', 'auto_install', 'promote_install'] as const

export function DeepLinks({ deeplinks, onChange, error }: DeepLinksProps) {
  const { apps: words } = texts.create
  const { data: apps = [], isSuccess } = useQuery(mobileAppsQuery(useGroup()?.organization_guid ?? ''))
  const replace = (index: number, changed: Partial<DeepLink>) =>
    onChange(deeplinks.map((each, at) => (at === index ? { ...each, ...changed } : each)))
  const choices = [
    ...apps.map(({ guid, name, os }) => ({ value: guid, label: `${name} (${systemName(os)})` })),
    // Of an app that was removed since.
    ...deeplinks
      .filter(({ app_guid }) => app_guid && !apps.some(({ guid }) => guid === app_guid))
      .map(({ app_guid }) => ({ value: app_guid, label: app_guid })),
  ]
  if (isSuccess && choices.length === 0) return <p className={styles.hint}>{words.none}</p>
  return (
    <div className={styles.panel}>
      {deeplinks.map((deeplink, index) => (
        <fieldset key={index} className={styles.rule}>
          <legend className={styles.ruleName}>{words.app}</legend>
          <div className={styles.ruleTools}>
            <ActionIcon
              aria-label={texts.common.remove}
              onClick={() => onChange(deeplinks.filter((_, at) => at !== index))}
            >
              <Trash2 size={16} />
            </ActionIcon>
          </div>
          <Select
            label={words.app}
            data={choices}
            value={deeplink.app_guid || null}
            onChange={(app_guid) =>
              replace(index, { app_guid: app_guid ?? '', os: apps.find(({ guid }) => guid === app_guid)?.os ?? '' })
            }
            allowDeselect={false}
            required
          />
          <TextInput
            label={words.path}
            placeholder="shoes/42"
            value={deeplink.app_uri_path}
            onChange={({ currentTarget }) => replace(index, { app_uri_path: currentTarget.value })}
            maxLength={2048}
            autoComplete="off"
          />
          <Select
            label={words.install}
            data={installTypes.map((value) => ({ value, label: words.installTypes[value] }))}
            value={deeplink.install_type}
            onChange={(install_type) => replace(index, { install_type: install_type ?? 'no_install' })}
            allowDeselect={false}
          />
        </fieldset>
      ))}
      <Button
        variant="default"
        leftSection={<Plus size={16} />}
        disabled={deeplinks.length >= 20}
        onClick={() =>
          onChange([
            ...deeplinks,
            { app_guid: '', app_uri_path: '', install_type: 'no_install', install_url: '', os: '' },
          ])
        }
      >
        {words.add}
      </Button>
      <ProblemLine>{error}</ProblemLine>
    </div>
  )
}
