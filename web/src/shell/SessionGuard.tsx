import { useEffect, useRef, useState } from 'react'
import { whenSignedOut } from '../api/client.js'
import { lazyPart } from '../parts/lazy-part.js'

const SignedOutDialog = lazyPart(() => import('./SignedOutDialog.js'), 'SignedOutDialog')

/** When the session ends in the middle of work, requests wait here until the person has signed in again. */
export function SessionGuard() {
  const [isOut, setIsOut] = useState(false)
  const waiting = useRef<(() => void)[]>([])
  useEffect(() => {
    whenSignedOut(
      () =>
        new Promise((resolve) => {
          waiting.current.push(resolve)
          setIsOut(true)
        }),
    )
  }, [])
  const goOn = () => {
    setIsOut(false)
    for (const resolve of waiting.current.splice(0)) resolve()
  }
  return isOut && <SignedOutDialog onSignedIn={goOn} />
}
