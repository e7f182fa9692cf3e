import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { ConfirmDialog } from '../../parts/ConfirmDialog.js'
import icon from '../../parts/IconButton.module.css'
import { RunButton } from '../../parts/RunButton.js'
import { importTexts } from '../../texts/import.js'
import { texts } from '../../texts/texts.js'

interface Mutation {
  readonly isPending: boolean
  mutate(variables?: undefined, callbacks?: { onSettled(): void }): void
}

interface StopOrDeleteProps {
  readonly name: string
  readonly isOpen: boolean
  readonly stop: Mutation
  readonly remove: Mutation
  /** What is lost with it. */
  readonly hint: string
}

/** A job that waits or runs can be stopped, and one that is over deleted. */
export function StopOrDelete({ name, isOpen, stop, remove, hint }: StopOrDeleteProps) {
  const [isDeleting, setIsDeleting] = useState(false)
  if (isOpen) {
    return (
      <RunButton run={stop} variant="default" aria-label={importTexts.stopOf(name)}>
        {importTexts.stop}
      </RunButton>
    )
  }
  return (
    <>
      <button
        type="button"
        className={icon.button}
        aria-label={importTexts.deleteOf(name)}
        title={texts.common.delete}
        onClick={() => setIsDeleting(true)}
      >
        <Trash2 size={16} />
      </button>
      {isDeleting && (
        <ConfirmDialog
          title={importTexts.deleteTitle(name)}
          action={texts.common.delete}
          isBusy={remove.isPending}
          onConfirm={() => remove.mutate(undefined, { onSettled: () => setIsDeleting(false) })}
          onClose={() => setIsDeleting(false)}
        >
          {hint}
        </ConfirmDialog>
      )}
    </>
  )
}
