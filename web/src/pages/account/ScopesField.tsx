import { Checkbox, NativeSelect } from '@mantine/core'
import '@mantine/core/styles/Checkbox.layer.css'
import { useState } from 'react'
import type { Scope } from '../../api/types.js'
import { people } from '../../texts/people.js'

/** What most tokens are for. */
const presets = {
  everything: ['all'],
  readOnly: ['links:read', 'analytics:read'],
  createOnly: ['links:create'],
  choose: [],
} as const satisfies Readonly<Record<string, readonly Scope[]>>
type Preset = keyof typeof presets

interface ScopesFieldProps<Some extends Scope> {
  readonly label: string
  readonly value: readonly Some[]
  readonly onChange: (scopes: Some[]) => void
  /** Those to choose from; all that there are, unless given. */
  readonly of?: readonly Some[]
}

/** What a token or an application may do. */
export function ScopesField<Some extends Scope>({ label, value, onChange, of }: ScopesFieldProps<Some>) {
  const { tokenForm: words } = people.account
  const [preset, setPreset] = useState<Preset>(() => presetOf(value))
  const shown = Object.entries(words.scopeNames).filter(([name]) => !of || of.includes(name as Some))
  return (
    <>
      <NativeSelect
        label={label}
        value={preset}
        onChange={({ currentTarget }) => {
          const chosen = currentTarget.value as Preset
          setPreset(chosen)
          onChange([...presets[chosen]] as Scope[] as Some[])
        }}
        data={Object.keys(presets).map((each) => ({ value: each, label: words.presets[each as Preset] }))}
      />
      {preset === 'choose' && (
        <Checkbox.Group label={words.scopes} value={[...value]} onChange={(chosen) => onChange(chosen as Some[])}>
          {shown.map(([each, name]) => (
            <Checkbox key={each} value={each} label={name} mt="xs" />
          ))}
        </Checkbox.Group>
      )}
    </>
  )
}

function presetOf(scopes: readonly Scope[]): Preset {
  const isSame = (preset: readonly Scope[]) =>
    preset.length === scopes.length && preset.every((each) => scopes.includes(each))
  const names = Object.keys(presets) as Preset[]
  return names.find((name) => isSame(presets[name])) ?? 'choose'
}
