/** Browsers that can install the dashboard as an app announce it, and leave the question to the page. */
import { sharedValue } from '../parts/shared-value.js'

interface InstallOffer extends Event {
  prompt(): Promise<unknown>
}

const offer = sharedValue<InstallOffer | undefined>(undefined)

window.addEventListener('beforeinstallprompt', (event) => {
  event.preventDefault()
  offer.set(event as InstallOffer)
})
window.addEventListener('appinstalled', () => offer.set(undefined))

/** Asks the person; undefined where it cannot be installed, or is already. */
export function useInstall(): (() => void) | undefined {
  const current = offer.use()
  if (!current) return undefined
  return () => {
    // An offer can be used once.
    offer.set(undefined)
    void current.prompt()
  }
}
