import { type ReactNode, Suspense, useEffect, useRef, useState } from 'react'

interface WhenSeenProps {
  /** Takes the place meanwhile. */
  readonly fallback: ReactNode
  readonly children: ReactNode
}

/** Parts far below on a page, which are loaded when somebody scrolls there. */
export function WhenSeen({ fallback, children }: WhenSeenProps) {
  const place = useRef<HTMLDivElement>(null)
  const [isSeen, setIsSeen] = useState(false)
  useEffect(() => {
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setIsSeen(true)
    })
    if (place.current) observer.observe(place.current)
    return () => observer.disconnect()
  }, [])
  return <div ref={place}>{isSeen ? <Suspense fallback={fallback}>{children}</Suspense> : fallback}</div>
}
