import type { KeyboardEvent } from 'react'

/** Ctrl or cmd with Enter sends a form from any of its fields; in lists and tags, Enter alone means something else. */
export function submitByKey(event: KeyboardEvent<HTMLFormElement>): void {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
  event.preventDefault()
  event.currentTarget.requestSubmit()
}
