/** Countries coloured by their share. For the eye and the pointer; the list beside it has the same for everybody. */

import { url } from 'virtual:world-map'
import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { countryName, formatNumber } from '../parts/format.js'
import tip from './Tip.module.css'
import styles from './WorldMap.module.css'

interface WorldMapProps {
  /** By the two-letter code. */
  readonly values: ReadonlyMap<string, number>
  readonly chosen: ReadonlySet<string>
  readonly onChoose: (code: string) => void
}

/** As build/world-map.ts draws them. */
interface Shapes {
  readonly width: number
  readonly height: number
  readonly countries: readonly { readonly code?: string; readonly path: string }[]
  readonly places: readonly { readonly code: string; readonly x: number; readonly y: number }[]
}

export function WorldMap({ values, chosen, onChoose }: WorldMapProps) {
  const { data: shapes } = useQuery({
    queryKey: ['world-map'],
    queryFn: async () => (await (await fetch(url)).json()) as Shapes,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const [over, setOver] = useState<{ code: string; x: number; y: number }>()
  const highest = Math.max(1, ...values.values())
  /** Steps by the square root: one big country would leave the others pale. */
  const level = (code: string) => {
    const value = values.get(code) ?? 0
    return value === 0 ? 0 : Math.max(1, Math.ceil(6 * Math.sqrt(value / highest)))
  }
  const props = (code: string) => ({
    'data-code': code,
    'data-level': level(code),
    'data-chosen': chosen.has(code),
    onPointerEnter: (event: { nativeEvent: PointerEvent; currentTarget: SVGElement }) => {
      const box = event.currentTarget.ownerSVGElement?.getBoundingClientRect()
      if (box) setOver({ code, x: event.nativeEvent.clientX - box.left, y: event.nativeEvent.clientY - box.top })
    },
    onPointerLeave: () => setOver(undefined),
    ...((values.get(code) ?? 0) > 0 && { onClick: () => onChoose(code) }),
  })
  if (!shapes) return <MapSkeleton />
  return (
    <div className={styles.map} aria-hidden="true">
      {/* biome-ignore lint/a11y/noSvgWithoutTitle: hidden from screen readers, which have the list */}
      <svg viewBox={`0 0 ${shapes.width} ${shapes.height}`} className={styles.svg}>
        {shapes.countries.map(({ code, path }) => (
          <path key={path} d={path} className={styles.country} {...(code ? props(code) : { 'data-level': 0 })} />
        ))}
        {shapes.places
          .filter(({ code }) => level(code) > 0)
          .map(({ code, x, y }) => (
            <circle key={code} cx={x} cy={y} r={3.5} className={styles.country} {...props(code)} />
          ))}
      </svg>
      {over && (
        <div className={`${tip.tip} ${styles.tip}`} style={{ left: over.x, top: over.y }}>
          <strong>{countryName(over.code)}</strong>
          <span className="figures">{formatNumber(values.get(over.code) ?? 0)}</span>
        </div>
      )}
    </div>
  )
}

/** Takes its place meanwhile. */
export function MapSkeleton() {
  return <Skeleton className={styles.skeleton} />
}
