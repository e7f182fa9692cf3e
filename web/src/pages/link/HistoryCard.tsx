/** The place of the history. What is in it is loaded when somebody scrolls there. */
import { Skeleton } from '@mantine/core'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { Card } from '../../parts/Card.js'
import { texts } from '../../texts/texts.js'
import type { HistoryProps } from './History.js'

const History = lazy(async () => ({ default: (await import('./History.js')).History }))

export function HistoryCard(props: HistoryProps) {
  const place = useRef<HTMLDivElement>(null)
  const [isSeen, setIsSeen] = useState(false)
  useEffect(() => {
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setIsSeen(true)
    })
    if (place.current) observer.observe(place.current)
    return () => observer.disconnect()
  }, [])
  const loading = <Skeleton height={72} />
  return (
    <Card title={texts.link.history}>
      <div ref={place}>
        {isSeen ? (
          <Suspense fallback={loading}>
            <History {...props} />
          </Suspense>
        ) : (
          loading
        )}
      </div>
    </Card>
  )
}
