import { Button } from '@mantine/core'
import { type ChangeEvent, type ComponentProps, type FormEvent, useState } from 'react'
import { texts } from '../texts/texts.js'
import { errorText, ProblemLine } from './Problem.js'
import styles from './page.module.css'

interface FormProps extends Omit<ComponentProps<'form'>, 'onSubmit'> {
  readonly onSubmit: () => void
  /** Of fields: the button ends it. */
  readonly isOneLine?: boolean
}

/** A form that the page sends itself. */
export function Form({ onSubmit, isOneLine, className = styles.form, ...props }: FormProps) {
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onSubmit()
  }
  return <form onSubmit={submit} className={`${className} ${isOneLine ? styles.oneLine : ''}`} {...props} />
}

export interface Field {
  readonly value: string
  set(value: string): void
  /** For the input that shows it: `<TextInput label="Name" {...name.input} />`. */
  readonly input: {
    readonly value: string
    onChange(event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>): void
  }
}

/** The text of one field. */
export function useField(start: string): Field {
  const [value, set] = useState(start)
  return { value, set, input: { value, onChange: ({ currentTarget }) => set(currentTarget.value) } }
}

interface FormEndProps {
  /** What went wrong, unless it is said at a field. */
  readonly error?: unknown
  readonly isBusy: boolean
  /** Whether what is saved is known yet. */
  readonly isReady?: boolean
  /** Save, unless given. */
  readonly action?: string
  /** For what is seldom done: it does not call for attention. */
  readonly variant?: 'default'
  /** Leaves a dialog. */
  readonly onClose?: () => void
}

/** The end of a form: what went wrong, Cancel in a dialog, Save. */
export function FormEnd({ error, isBusy, isReady = true, action, variant, onClose }: FormEndProps) {
  return (
    <>
      <ProblemLine>{Boolean(error) && errorText(error)}</ProblemLine>
      <div className={styles.end}>
        {onClose && (
          <Button variant="default" onClick={onClose}>
            {texts.common.cancel}
          </Button>
        )}
        <Button type="submit" variant={variant} loading={isBusy} disabled={!isReady}>
          {action ?? texts.common.save}
        </Button>
      </div>
    </>
  )
}
