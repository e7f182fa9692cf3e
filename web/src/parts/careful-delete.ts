import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { Answer } from '../api/client.js'
import { Conflict, ifUnchanged, tagged } from '../api/save-merged.js'
import { conflictTexts } from '../texts/conflicts.js'
import { showError } from './toasts.js'

interface CarefulDelete<State> {
  /** By what a change would be noticed, as the person saw it. */
  readonly shown: State
  readonly read: Parameters<typeof ifUnchanged<State, unknown>>[1]
  readonly remove: Parameters<typeof ifUnchanged<State, unknown>>[2]
  readonly onSuccess: () => unknown
  readonly onError?: (error: Error) => unknown
}

/** Deletes what the person saw. If somebody changed it since, that is said first, and only the next try deletes it. */
export function useCarefulDelete<State>({ shown, read, remove, onSuccess, onError = showError }: CarefulDelete<State>) {
  const [seen, setSeen] = useState(shown)
  const mutation = useMutation({
    mutationFn: () => ifUnchanged(seen, read, remove),
    onSuccess,
    onError: (error) => (error instanceof Conflict ? setSeen(error.theirs) : onError(error)),
  })
  return { ...mutation, warning: mutation.error instanceof Conflict && conflictTexts.changed }
}

/** What shows that it was changed, for most things. */
export async function readModified(answer: Promise<Answer<{ readonly modified: string }>>) {
  const [{ modified }, etag] = await tagged(answer)
  return [modified, etag] as const
}
