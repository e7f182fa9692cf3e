/** Countries coloured by their share. For the eye and the pointer; the list beside it has the same for everybody. */
import { type ExtendedFeatureCollection, geoNaturalEarth1, geoPath } from 'd3-geo'
import { useMemo, useState } from 'react'
import { feature } from 'topojson-client'
import atlasUrl from 'world-atlas/countries-110m.json?url'
import { countryName, formatNumber } from '../parts/format.js'
import { codeOf, smallPlaces } from './map-codes.js'
import styles from './WorldMap.module.css'

interface WorldMapProps {
  /** By the two-letter code. */
  readonly values: ReadonlyMap<string, number>
  readonly chosen: ReadonlySet<string>
  readonly onChoose: (code: string) => void
}

const width = 720

// Data, not script: the browser reads it faster, and in the background.
const atlas = await (await fetch(atlasUrl)).json()

export function WorldMap({ values, chosen, onChoose }: WorldMapProps) {
  const shapes = useMemo(drawShapes, [])
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
  return (
    <div className={styles.map} aria-hidden="true">
      {/* biome-ignore lint/a11y/noSvgWithoutTitle: hidden from screen readers, which have the list */}
      <svg viewBox={`0 0 ${width} ${shapes.height}`} className={styles.svg}>
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
        <div className={styles.tip} style={{ left: over.x, top: over.y }}>
          <strong>{countryName(over.code)}</strong>
          <span className="figures">{formatNumber(values.get(over.code) ?? 0)}</span>
        </div>
      )}
    </div>
  )
}

function drawShapes() {
  const topology = atlas as unknown as Parameters<typeof feature>[0]
  const world = topology.objects.countries && feature(topology, topology.objects.countries)
  const { features } = world as unknown as ExtendedFeatureCollection
  const inhabited = features.filter(({ id }) => id !== '010')
  const all: ExtendedFeatureCollection = { type: 'FeatureCollection', features: inhabited }
  const projection = geoNaturalEarth1().fitWidth(width, all)
  const path = geoPath(projection)
  return {
    height: Math.ceil(path.bounds(all)[1][1]),
    // Some areas have no code; clicks of an unknown country must not colour them.
    countries: inhabited.map((each) => ({ code: codeOf.get(String(each.id)), path: path(each) ?? '' })),
    places: Object.entries(smallPlaces).map(([code, [longitude, latitude]]) => {
      const [x = 0, y = 0] = projection([longitude, latitude]) ?? []
      return { code, x, y }
    }),
  }
}
