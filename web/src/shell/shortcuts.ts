/**
 * The one registry of keyboard shortcuts. They never fire while the person types in a field, holds a modifier that is
 * not part of the shortcut, or a dialog is open (except those that say so).
 */
import { useEffect, useRef } from 'react'

export interface Shortcut {
  /** A single key such as `c`, a sequence such as `g l`, or `mod+k` (ctrl, or cmd on a Mac). */
  readonly keys: string
  readonly label: string
  /** Left out where the browser does it already; it is only listed then. */
  readonly run?: () => void
  /** Only then; it goes before one with the same keys that always fires. */
  readonly when?: () => boolean
  /** Also fires in fields and dialogs. */
  readonly everywhere?: boolean
}

const registered = new Set<Shortcut>()
let pending: { readonly key: string; readonly at: number } | undefined
const sequenceTimeout = 1000

/** Shortcuts that are active now, for the sheet that lists them. */
export function activeShortcuts(): readonly Shortcut[] {
  return [...registered]
}

export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  const latest = useRef(shortcuts)
  latest.current = shortcuts
  const identity = shortcuts.map(({ keys, label }) => `${keys}=${label}`).join('\n')
  // Registers again only when the keys or labels change.
  useEffect(() => {
    const own = latest.current.map((shortcut, index) => ({
      ...shortcut,
      ...(shortcut.run && { run: () => latest.current[index]?.run?.() }),
      ...(shortcut.when && { when: () => latest.current[index]?.when?.() ?? false }),
    }))
    for (const shortcut of own) registered.add(shortcut)
    return () => {
      for (const shortcut of own) registered.delete(shortcut)
    }
  }, [identity])
}

document.addEventListener('keydown', (event) => {
  if (event.defaultPrevented || event.isComposing) return
  const pressed = nameOf(event)
  const isBusy = isTyping(event.target) || document.querySelector('[role="dialog"]') !== null
  const before = pending && performance.now() - pending.at < sequenceTimeout ? `${pending.key} ` : ''
  const candidates = [...registered]
    .filter(({ run, when, everywhere }) => run && (everywhere || !isBusy) && (!when || when()))
    .sort((one, other) => Number(Boolean(other.when)) - Number(Boolean(one.when)))
  const found =
    candidates.find(({ keys }) => keys === before + pressed) ?? candidates.find(({ keys }) => keys === pressed)
  pending = undefined
  if (found) {
    event.preventDefault()
    found.run?.()
  } else if (candidates.some(({ keys }) => keys.startsWith(`${pressed} `))) {
    pending = { key: pressed, at: performance.now() }
  }
})

function nameOf(event: KeyboardEvent): string {
  const isMod = event.ctrlKey || event.metaKey
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key
  return `${isMod ? 'mod+' : ''}${event.altKey ? 'alt+' : ''}${key}`
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  return target.isContentEditable || target.matches('input:not([type=checkbox]), textarea, select')
}
