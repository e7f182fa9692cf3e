/**
 * Short messages at the bottom of the page. Most go by themselves, but not under the pointer or with the focus inside.
 */
import { Button, CloseButton } from '@mantine/core'
import { useEffect, useState } from 'react'
import { texts } from '../texts/texts.js'
import { errorText } from './Problem.js'
import { sharedValue } from './shared-value.js'
import styles from './toasts.module.css'

interface Toast {
  readonly id: number
  readonly message: string
  /** Milliseconds; until it is closed, unless given. */
  readonly lasts?: number
  readonly isProblem?: boolean
  readonly action?: Action
  /** When the person closes it. */
  readonly onClose?: () => void
}

interface Action {
  readonly label: string
  readonly run: () => void
}

const maxShown = 3
const shown = sharedValue<readonly Toast[]>([])
let lastId = 0

function show(toast: Omit<Toast, 'id'>): () => void {
  const id = ++lastId
  const before = shown.get()
  // Those that last say what is wrong now.
  const oldest = before.length < maxShown ? undefined : before.find(({ lasts }) => lasts !== undefined)
  shown.set([...before.filter((other) => other !== oldest), { ...toast, id }])
  return () => hide(id)
}

function hide(id: number): void {
  shown.set(shown.get().filter((toast) => toast.id !== id))
}

export function showDone(message: string): void {
  show({ message, lasts: 4000 })
}

/** For what opens where messages are: those that only say that something was done. */
export function hideDone(): void {
  shown.set(shown.get().filter(({ lasts, isProblem, action }) => lasts === undefined || isProblem || action))
}

export function showError(error: unknown): void {
  showProblem(errorText(error))
}

export function showProblem(message: string): void {
  show({ message, lasts: 8000, isProblem: true })
}

/** Stays until something was done about it. Returns how to take it away. */
export function showLasting(message: string, action: Action, onClose: () => void): () => void {
  return show({ message, isProblem: true, action, onClose })
}

/** Says what was done, with a button that takes it back. */
export function showUndo(message: string, undo: () => void): void {
  show({ message, lasts: 10_000, action: { label: texts.common.undo, run: undo } })
}

export function Toasts() {
  return (
    <div className={styles.toasts}>
      {shown.use().map((toast) => (
        <ToastLine key={toast.id} toast={toast} />
      ))}
    </div>
  )
}

function ToastLine({ toast }: { readonly toast: Toast }) {
  const { id, message, lasts, isProblem = false, action, onClose } = toast
  const [isHeld, setHeld] = useState(false)
  useEffect(() => {
    if (isHeld || lasts === undefined) return
    const timer = setTimeout(() => hide(id), lasts)
    return () => clearTimeout(timer)
  }, [id, lasts, isHeld])
  const hold = () => setHeld(true)
  const release = () => setHeld(false)
  return (
    <div
      role="alert"
      className={styles.toast}
      data-problem={isProblem}
      onPointerEnter={hold}
      onPointerLeave={release}
      onFocus={hold}
      onBlur={release}
    >
      <span>{message}</span>
      {action && (
        <Button
          variant="subtle"
          size="compact-sm"
          onClick={() => {
            hide(id)
            action.run()
          }}
        >
          {action.label}
        </Button>
      )}
      <CloseButton
        aria-label={texts.common.close}
        onClick={() => {
          hide(id)
          onClose?.()
        }}
      />
    </div>
  )
}
