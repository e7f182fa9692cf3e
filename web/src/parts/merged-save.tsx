/** A form that is saved by `saveMerged`: what two people changed is shown to the second one, who decides. */
import type { UseMutationResult } from '@tanstack/react-query'
import { useState } from 'react'
import { Conflict, conflictsOf, type Edit, type Fields } from '../api/save-merged.js'
import { lazyPart } from './lazy-part.js'

export const Conflicts = lazyPart(() => import('./Conflicts.js'), 'Conflicts')

interface MergedSave<State, Changes extends object> {
  readonly fields: Fields<State, Changes>
  readonly edit: Edit<State>
  /** What was decided belongs to the form. */
  readonly keep: (edit: Edit<State>) => void
  readonly mutation: Pick<UseMutationResult<unknown, Error, Edit<State>>, 'mutateAsync' | 'error'>
  readonly onSaved?: () => void
}

export function useMergedSave<State, Changes extends object>(props: MergedSave<State, Changes>) {
  const { fields, edit, keep, mutation, onSaved } = props
  const [conflict, setConflict] = useState<Conflict<State>>()
  const [taken, onTake] = useState<Choices<keyof Changes>>(new Map())
  const names = conflict ? conflictsOf(fields, edit, conflict.theirs) : []
  /** Whether it worked. */
  const save = (): Promise<boolean> => {
    const theirs = conflict?.theirs ?? edit.before
    const taking = names.filter((name) => taken.get(name))
    const chosen = {
      before: fields.withFieldsOf(edit.before, names, theirs),
      draft: fields.withFieldsOf(edit.draft, taking, theirs),
    }
    const onError = (error: Error) => {
      if (!(error instanceof Conflict)) return
      keep(chosen)
      setConflict(error)
      onTake(new Map())
    }
    const saved = mutation.mutateAsync(chosen, { onError, ...(onSaved && { onSuccess: onSaved }) })
    return saved.then(
      () => true,
      () => false,
    )
  }
  return {
    save,
    error: mutation.error instanceof Conflict ? null : mutation.error,
    conflicts: conflict && names.length > 0 ? { names, mine: edit.draft, conflict, taken, onTake } : undefined,
  }
}

/** What `Conflicts` shows. */
export interface FoundConflicts<State, Name extends PropertyKey> {
  readonly names: readonly Name[]
  /** With the person's own values. */
  readonly mine: State
  readonly conflict: Conflict<State>
  readonly taken: Choices<Name>
  readonly onTake: (taken: Choices<Name>) => void
}

/** Whether the value of the other person is taken, for each field where that was decided. */
export type Choices<Name> = ReadonlyMap<Name, boolean>
