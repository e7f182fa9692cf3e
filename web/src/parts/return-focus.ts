import { useEffect } from 'react'

/**
 * For what is mounted while it is open: when it closes, the focus goes back to where it was. Mantine does that only for
 * what stays mounted.
 */
export function useReturnFocus(): void {
  useEffect(() => {
    const before = document.activeElement === document.body ? menuButton : openerOf(document.activeElement)
    return () => {
      // Somebody may have moved it on already.
      if (!before || document.activeElement !== document.body) return
      // Of a row that was deleted, the page remains.
      const target = before.isConnected ? before : document.getElementById('content')
      target?.focus({ preventScroll: true })
    }
  }, [])
}

/** Of the menu that had the focus last. Without transitions it is gone before what it opened is there. */
let menuButton: HTMLElement | undefined

document.addEventListener('focusin', ({ target }) => {
  menuButton = target instanceof Element && target.closest('[role=menu]') ? openerOf(target) : undefined
})

/** An item of a menu goes with the menu; its button stays. */
function openerOf(element: Element | null): HTMLElement | undefined {
  const button = element?.closest('[role=menu]')?.getAttribute('aria-labelledby')
  const opener = button ? document.getElementById(button) : element
  return opener instanceof HTMLElement ? opener : undefined
}
