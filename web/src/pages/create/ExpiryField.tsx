import { Button, TextInput } from '@mantine/core'
import { formatAge } from '../../parts/format.js'
import { texts } from '../../texts/texts.js'
import { asLocalTime } from './draft.js'
import styles from './LinkForm.module.css'

interface ExpiryFieldProps {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly error: string | undefined
}

const days = { week: 7, month: 30, quarter: 90 } as const

/** When the link ends, by a date or by words. */
export function ExpiryField({ value, onChange, error }: ExpiryFieldProps) {
  const after = (count: number) => asLocalTime(new Date(Date.now() + count * 86_400_000))
  const choices = Object.entries(days) as [keyof typeof days, number][]
  return (
    <div className={styles.expiry}>
      <TextInput
        type="datetime-local"
        label={texts.create.expiry}
        description={value ? texts.create.expiresIn(formatAge(new Date(value))) : texts.create.expiryHint}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        value={value}
        min={asLocalTime(new Date())}
        max={after(365)}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
        error={error}
      />
      <fieldset className={styles.choices}>
        <legend className="visually-hidden">{texts.create.expiry}</legend>
        {choices.map(([name, count]) => (
          <Button key={name} variant="default" size="compact-sm" onClick={() => onChange(after(count))}>
            {texts.create.expiryChoices[name]}
          </Button>
        ))}
        {value && (
          <Button variant="subtle" color="gray" size="compact-sm" onClick={() => onChange('')}>
            {texts.create.neverExpires}
          </Button>
        )}
      </fieldset>
    </div>
  )
}
