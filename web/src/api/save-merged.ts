/**
 * Saves what several people may edit at once. Fields that only one of two people changed are merged; a field that both
 * changed is a `Conflict`, and nothing is saved. In between the ETag guards what was read.
 */
import { type Answer, ApiError, ask } from './client.js'
import { isOther } from './is-other.js'

/** What a person saw, and what they made of it. */
export interface Edit<State> {
  readonly before: State
  readonly draft: State
}

/** The fields of something, by their names. */
export interface Fields<State, Changes extends object> {
  /** Only those that differ. */
  changesOf(before: State, after: State): Changes
  /** The state, with these fields as the other one has them. */
  withFieldsOf(state: State, names: readonly (keyof Changes)[], other: State): State
}

/** For states whose properties are the fields. */
export function ownFields<State extends object>(): Fields<State, Partial<State>> {
  return {
    changesOf: (before, after) => {
      const names = Object.keys({ ...before, ...after }) as (keyof State)[]
      return pick(
        after,
        names.filter((name) => isOther(before[name], after[name])),
      )
    },
    withFieldsOf: (state, names, other) => ({ ...state, ...pick(other, names) }),
  }
}

function pick<State extends object>(state: State, names: readonly (keyof State)[]): Partial<State> {
  return Object.fromEntries(names.map((name) => [name, state[name]])) as Partial<State>
}

/** Somebody else changed the same. */
export class Conflict<State = unknown> extends Error {
  constructor(readonly theirs: State) {
    super('Conflict')
  }
}

/** Fields that two people changed since, to different values. */
export function conflictsOf<State, Changes extends object>(
  { changesOf }: Pick<Fields<State, Changes>, 'changesOf'>,
  { before, draft }: Edit<State>,
  theirs: State,
): readonly (keyof Changes)[] {
  const [ours, others] = [changesOf(before, draft), changesOf(before, theirs)]
  return namesOf(ours).filter((name) => name in others && isOther(ours[name], others[name]))
}

type Tagged<State> = readonly [state: State, etag: string | null]

interface Saving<State, Changes extends object> extends Fields<State, Changes> {
  readonly read: () => Promise<Tagged<State>>
  /** `merged` is the whole: what others have by now, with the changes. */
  readonly send: (changes: Partial<Changes>, headers: Condition, merged: State) => Promise<unknown>
}

/** Returns what was sent: not what others have done already. */
export async function saveMerged<State, Changes extends object>(
  edit: Edit<State>,
  { changesOf, withFieldsOf, read, send }: Saving<State, Changes>,
): Promise<Partial<Changes>> {
  const { before, draft } = edit
  const wanted = changesOf(before, draft)
  if (namesOf(wanted).length === 0) return wanted
  return withCurrent(read, async (theirs, headers) => {
    if (conflictsOf({ changesOf }, edit, theirs).length > 0) throw new Conflict(theirs)
    const done = changesOf(before, theirs)
    const names = namesOf(wanted).filter((name) => !(name in done))
    const changes = pick(wanted, names)
    if (names.length > 0) await send(changes, headers, withFieldsOf(theirs, names, draft))
    return changes
  })
}

/** What cannot be merged, such as deleting, is done only to what the person saw. */
export function ifUnchanged<State, Result>(
  seen: State,
  read: () => Promise<Tagged<State>>,
  act: (headers: Condition) => Promise<Result>,
): Promise<Result> {
  return withCurrent(read, async (current, headers) => {
    if (isOther(seen, current)) throw new Conflict(current)
    return act(headers)
  })
}

/** Headers: `if-match`, or none. */
type Condition = Readonly<Record<string, string>>

const mostRounds = 5

/** Again with the new state, if somebody changes it between reading and writing. */
export async function withCurrent<State, Result>(
  read: () => Promise<Tagged<State>>,
  step: (current: State, headers: Condition) => Promise<Result>,
): Promise<Result> {
  let refused: string | null = null
  for (let round = 1; ; round++) {
    const [current, etag] = await read()
    // One that was refused and is still the same is altered on its way, as by a proxy that compresses.
    const headers: Condition = etag === null || etag === refused ? {} : { 'if-match': etag }
    try {
      return await step(current, headers)
    } catch (error) {
      const isChanged = error instanceof ApiError && error.status === 412 && headers['if-match'] !== undefined
      if (!isChanged || round === mostRounds) throw error
      refused = etag
    }
  }
}

/** What an answer says, with its ETag. It must have been asked for by `withEtag`. */
export async function tagged<Data>(answer: Promise<Answer<Data>>) {
  return [await ask(answer), (await answer).response.headers.get('etag')] as const
}

function namesOf<Changes extends object>(changes: Changes): readonly (keyof Changes)[] {
  return Object.keys(changes) as (keyof Changes)[]
}
