/** The columns of the list of events: what each shows, and which of them the person chose in this browser. */
import { useState } from 'react'
import type { components } from '../../api/schema.js'
import { eventsTexts } from '../../texts/events.js'
import { texts } from '../../texts/texts.js'
import { choiceOf, type Dimension, type FilterName } from './dimensions.js'
import type { AnalyticsSearch } from './search.js'

export type Event = components['schemas']['LastEngagements']['engagements'][number]

interface Column {
  readonly field: keyof Event
  /** The report about it, which gives it its name and its filter. */
  readonly dimension?: Dimension
}

const columns = {
  type: { field: 'type' },
  link: { field: 'shortlink', dimension: 'links' },
  country: { field: 'country', dimension: 'countries' },
  city: { field: 'city', dimension: 'cities' },
  referrer: { field: 'referrer_name', dimension: 'referrers' },
  device: { field: 'device', dimension: 'devices' },
  browser: { field: 'browser', dimension: 'browsers' },
  os: { field: 'os', dimension: 'os' },
  destination: { field: 'destination', dimension: 'destinations' },
  traffic: { field: 'traffic_class' },
  agent: { field: 'agent', dimension: 'agents' },
} as const satisfies Readonly<Record<string, Column>>

export type ColumnName = keyof typeof columns
export const columnNames = Object.keys(columns) as readonly ColumnName[]

/** The time comes first, and is always there. */
const standard: readonly ColumnName[] = ['type', 'link', 'country', 'city', 'referrer', 'device']

export function columnOf(name: ColumnName): Column & { readonly title: string; readonly filter?: FilterName } {
  const column: Column = columns[name]
  const { dimension } = column
  if (dimension) return { ...column, title: texts.analytics.dimensions[dimension][1], ...filterOf(dimension) }
  return { ...column, title: name === 'type' ? eventsTexts.type : eventsTexts.traffic }
}

function filterOf(dimension: Dimension): { readonly filter?: FilterName } {
  const { filter } = choiceOf(dimension)
  return filter ? { filter } : {}
}

const storageKey = 'shortlink-event-columns'

/** Until somebody chooses: what is not the same in all rows. */
export function useColumns({ traffic = 'human' }: AnalyticsSearch, isLink: boolean) {
  const [stored, setStored] = useState(() => localStorage.getItem(storageKey)?.split(' '))
  const seen = [...standard.filter((name) => !isLink || name !== 'link'), ...(traffic === 'human' ? [] : ['traffic'])]
  const shown = columnNames.filter((name) => (stored ?? seen).includes(name))
  const toggle = (name: ColumnName) => {
    const next = columnNames.filter((each) => (each === name) !== shown.includes(each))
    localStorage.setItem(storageKey, next.join(' '))
    setStored([...next])
  }
  return { shown, toggle }
}
