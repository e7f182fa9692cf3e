import { type ExtendedFeatureCollection, geoNaturalEarth1, geoPath } from 'd3-geo'
import { feature } from 'topojson-client'
import type { Plugin } from 'vite'
import atlas from 'world-atlas/countries-110m.json' with { type: 'json' }
import { codeOf, smallPlaces } from './map-codes.ts'

const name = 'virtual:world-map'
const width = 720

/** The countries as drawn shapes, in a file of data at build time: browsers load no geometry and project nothing. */
export function worldMap(): Plugin {
  let isBuild = false
  return {
    name: 'world-map',
    configResolved: ({ command }) => {
      isBuild = command === 'build'
    },
    resolveId: (id) => (id === name ? `\0${name}` : undefined),
    load(id) {
      if (id !== `\0${name}`) return undefined
      const source = JSON.stringify(drawShapes())
      if (!isBuild) return `export const url = ${JSON.stringify(`data:application/json,${encodeURIComponent(source)}`)}`
      const file = this.emitFile({ type: 'asset', name: 'world-map.json', source })
      return `export const url = import.meta.ROLLUP_FILE_URL_${file}`
    },
  }
}

function drawShapes() {
  const topology = atlas as unknown as Parameters<typeof feature>[0]
  const world = topology.objects.countries && feature(topology, topology.objects.countries)
  const { features } = world as unknown as ExtendedFeatureCollection
  const inhabited = features.filter(({ id }) => id !== '010')
  const all: ExtendedFeatureCollection = { type: 'FeatureCollection', features: inhabited }
  const projection = geoNaturalEarth1().fitWidth(width, all)
  const path = geoPath(projection).digits(1)
  return {
    width,
    height: Math.ceil(path.bounds(all)[1][1]),
    // Some areas have no code; clicks of an unknown country must not colour them.
    countries: inhabited.map((each) => ({ code: codeOf.get(String(each.id)), path: path(each) ?? '' })),
    places: Object.entries(smallPlaces).map(([code, [longitude, latitude]]) => {
      const [x = 0, y = 0] = projection([longitude, latitude]) ?? []
      return { code, x: Math.round(10 * x) / 10, y: Math.round(10 * y) / 10 }
    }),
  }
}
