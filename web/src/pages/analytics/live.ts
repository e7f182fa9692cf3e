/**
 * Clicks as they happen, by the API's server-sent events. Only while the page is visible: browsers share a few connections
 * among all tabs of a site, and an open stream takes one.
 */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { filtersIn } from './filters.js'
import { liveQuery, queriesOf, shownClicks } from './queries.js'
import type { Subject } from './reports.js'
import type { AnalyticsSearch } from './search.js'

/** A `click` event of the API. */
export interface LiveClick {
  readonly clicked_at: string
  /** `click`, `scan` or `button`. */
  readonly type: string
  readonly shortlink: string
  readonly country?: string
  readonly city?: string
  readonly referrer: string
  readonly device: string
}

export interface Live {
  /** `off`: the events are not available, so numbers have to be asked for. */
  readonly state: 'connecting' | 'on' | 'off'
  /** Newest first. */
  readonly clicks: readonly LiveClick[]
  /** Clicks after these that came too fast to be told one by one. */
  readonly more: number
}

/** When the service refused the events, a browser does not ask again by itself. */
const askAgainAfter = 30_000

/** Reports are asked for again at most this often, however many clicks come: the figures often, the rows below them less. */
const refreshEvery = { figures: 5_000, rows: 10_000 } as const

/** A click is told of a moment before it is in the reports. */
const settleAfter = 1_000

const nothing: Live = { state: 'connecting', clicks: [], more: 0 }

/** Undefined where there are no events: for campaigns, QR codes, and filtered numbers. */
export function useLive(subject: Subject, search: AnalyticsSearch): Live | undefined {
  const queries = useQueryClient()
  const [live, setLive] = useState(nothing)
  const path = pathOf(subject, search)
  const { queryKey } = liveQuery(subject, search)
  // Text, so that an equal key does not connect again.
  const counterKey = JSON.stringify(queryKey)
  const of = useRef(subject)
  of.current = subject

  useEffect(() => {
    if (path === undefined) return undefined
    const counter = JSON.parse(counterKey) as typeof queryKey
    let timer: number | undefined
    const ask = () => void queries.invalidateQueries({ queryKey: counter })
    const count = (more: number) => {
      queries.setQueryData(counter, (known: number | undefined) => (known === undefined ? undefined : known + more))
      // An answer that is on its way, also the first one, may not count it.
      if (queries.isFetching({ queryKey: counter }) === 0) return
      window.clearTimeout(timer)
      timer = window.setTimeout(ask, settleAfter)
    }
    setLive(nothing)
    const stop = whileVisible(() =>
      listen(path, {
        onState: (state) => setLive((known) => ({ ...known, state })),
        // What happened before the connection was there is in the reports only.
        onReady: ask,
        onMissed: () => {
          ask()
          void queries.invalidateQueries(queriesOf(of.current, 'figures'))
        },
        onClick: (click) => {
          count(1)
          setLive(({ clicks }) => ({ state: 'on', clicks: [click, ...clicks].slice(0, shownClicks), more: 0 }))
        },
        onClicks: (clicks) => {
          count(clicks)
          setLive((known) => ({ ...known, more: known.more + clicks }))
        },
      }),
    )
    return () => {
      window.clearTimeout(timer)
      stop()
    }
  }, [path, counterKey, queries])

  return path === undefined ? undefined : live
}

/**
 * Engagements of the last half hour. Whenever their number moves, by an event or by asking, the other numbers of the page
 * follow: two figures side by side must not contradict each other.
 */
export function useCounter(subject: Subject, search: AnalyticsSearch, isLive: boolean): number | undefined {
  const queries = useQueryClient()
  // Also with events, because clicks become older than half an hour.
  const { data } = useQuery({ ...liveQuery(subject, search), refetchInterval: isLive ? 60_000 : 10_000 })
  const known = useRef(0)
  const refreshFigures = useThrottled(() => {
    // The counter too: an answer that was on its way when a click was told does not count it.
    void queries.invalidateQueries({ queryKey: liveQuery(subject, search).queryKey })
    void queries.invalidateQueries(queriesOf(subject, 'figures'))
  }, refreshEvery.figures)
  const refreshRows = useThrottled(() => void queries.invalidateQueries(queriesOf(subject, 'rows')), refreshEvery.rows)
  useEffect(() => {
    if (data === undefined || data === known.current) return
    known.current = data
    refreshFigures()
    refreshRows()
  }, [data, refreshFigures, refreshRows])
  return data
}

/** Runs a moment after it was called, and at most once in `every` milliseconds. The page has just loaded: that counts as a run. */
function useThrottled(run: () => void, every: number): () => void {
  const latest = useRef(run)
  latest.current = run
  const [{ call, stop }] = useState(() => {
    let timer: number | undefined
    let ranAt = Date.now()
    const later = () => {
      timer = undefined
      ranAt = Date.now()
      latest.current()
    }
    return {
      call: () => {
        timer ??= window.setTimeout(later, Math.max(settleAfter, ranAt + every - Date.now()))
      },
      stop: () => {
        window.clearTimeout(timer)
        timer = undefined
      },
    }
  })
  useEffect(() => stop, [stop])
  return call
}

function pathOf({ group, link, campaign, code }: Subject, search: AnalyticsSearch): string | undefined {
  const isNarrowed = Object.keys(filtersIn(search)).length > 0 || search.traffic !== undefined
  if (isNarrowed || campaign !== undefined || code !== undefined) return undefined
  return link ? `/v4/shortlinks/${link.domain}/${encodeURIComponent(link.hash)}/events` : `/v4/groups/${group}/events`
}

interface Listener {
  readonly onState: (state: Live['state']) => void
  readonly onReady: () => void
  readonly onMissed: () => void
  readonly onClick: (click: LiveClick) => void
  readonly onClicks: (count: number) => void
}

/** Returns how to stop. */
function listen(path: string, { onState, onReady, onMissed, onClick, onClicks }: Listener): () => void {
  let timer: number | undefined
  let source: EventSource
  const connect = () => {
    source = new EventSource(path)
    source.addEventListener('ready', ({ data }: MessageEvent<string>) => {
      onState('on')
      if (!(JSON.parse(data) as { resumed: boolean }).resumed) onReady()
    })
    source.addEventListener('missed', onMissed)
    source.addEventListener('click', ({ data }: MessageEvent<string>) => onClick(JSON.parse(data) as LiveClick))
    source.addEventListener('clicks', ({ data }: MessageEvent<string>) =>
      onClicks((JSON.parse(data) as { count: number }).count),
    )
    source.addEventListener('error', () => {
      onState('off')
      if (source.readyState === EventSource.CLOSED) timer = window.setTimeout(connect, askAgainAfter)
    })
  }
  connect()
  return () => {
    window.clearTimeout(timer)
    source.close()
  }
}

/** Runs `start` while the page is visible, and what it returned when it is hidden. Returns how to stop. */
function whileVisible(start: () => () => void): () => void {
  let stop: (() => void) | undefined
  const look = () => {
    const isVisible = document.visibilityState === 'visible'
    if (isVisible) stop ??= start()
    else {
      stop?.()
      stop = undefined
    }
  }
  look()
  document.addEventListener('visibilitychange', look)
  return () => {
    document.removeEventListener('visibilitychange', look)
    stop?.()
  }
}
