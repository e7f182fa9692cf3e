/**
 * Parts of a page that are loaded when they are first shown. One that cannot be loaded leaves its place empty and is
 * tried again until it can: an error would replace the whole page, and with it what somebody has typed there.
 */
import { type ComponentType, lazy, type ReactNode, Suspense } from 'react'
import { isReachable } from '../api/reachable.js'
import { texts } from '../texts/texts.js'
import { reloadIfReachable } from './Problem.js'
import { showLasting } from './toasts.js'

/** A part that waits for itself alone: everything around it stays as it is. */
export function lazyPart<Module, Name extends keyof Module>(
  load: () => Promise<Module>,
  name: Name,
  fallback?: ReactNode,
): Module[Name] {
  const Loaded = suspendingPart(load, name) as ComponentType<object>
  const Place = (props: object) => (
    <Suspense fallback={fallback}>
      <Loaded {...props} />
    </Suspense>
  )
  return Place as Module[Name]
}

/** A part for which what is around it waits as well, up to the next `Suspense`. */
export function suspendingPart<Module, Name extends keyof Module>(
  load: () => Promise<Module>,
  name: Name,
): Module[Name] {
  return lazy(async () => ({ default: (await loadWithRetry(load))[name] as ComponentType })) as Module[Name]
}

let missing = 0
const waiting: (() => void)[] = []

async function loadWithRetry<Module>(load: () => Promise<Module>): Promise<Module> {
  const loaded = await load().catch(() => undefined)
  if (loaded !== undefined) return loaded
  missing += 1
  isDismissed = false
  beginTries()
  for (;;) {
    await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      const found = await load()
      missing -= 1
      if (missing === 0) hideNotice()
      return found
    } catch {
      offerReload()
    }
  }
}

const tryEvery = 5_000
/** Two minutes. A service that answers, but not with these files, was updated: then only a new page helps. */
const maxTries = 24
let tries = 0
let timer: number | undefined
let isTrying = false

function beginTries(): void {
  tries = 0
  void tryAll()
}

/** All parts that are missing are tried together, as soon as the service answers. */
async function tryAll(): Promise<void> {
  if (isTrying || missing === 0) return
  isTrying = true
  window.clearTimeout(timer)
  if (!(await isReachable())) {
    tries = 0
    offerRetry()
  } else if (await loadStylesAgain()) {
    for (const tryNow of waiting.splice(0)) tryNow()
  } else offerReload()
  isTrying = false
  tries += 1
  if (tries < maxTries) timer = window.setTimeout(tryAll, tryEvery)
}

window.addEventListener('online', beginTries)

let notice: { readonly advice: string; readonly hide: () => void } | undefined
let isDismissed = false

function offerRetry(): void {
  showNotice(texts.common.retry, beginTries)
}

/** The service answers, but not with this file: it was updated, or the browser remembers the failure. */
function offerReload(): void {
  showNotice(texts.errors.reload, () => void reloadIfReachable())
}

function showNotice(advice: string, run: () => void): void {
  if (isDismissed || notice?.advice === advice) return
  hideNotice()
  const pressed = () => {
    notice = undefined
    run()
  }
  const dismissed = () => {
    notice = undefined
    isDismissed = true
  }
  notice = { advice, hide: showLasting(texts.errors.part, { label: advice, run: pressed }, dismissed) }
}

function hideNotice(): void {
  notice?.hide()
  notice = undefined
}

const brokenStyles = new Set<HTMLLinkElement>()

window.addEventListener(
  'error',
  ({ target }) => {
    if (!(target instanceof HTMLLinkElement) || target.rel !== 'stylesheet') return
    // Others may be of an extension.
    if (target.href.includes('/app/assets/')) brokenStyles.add(target)
  },
  true,
)

/** The loader of the build asks for a style sheet once. Returns whether all of them are there. */
async function loadStylesAgain(): Promise<boolean> {
  const all = [...brokenStyles].map((broken) => {
    brokenStyles.delete(broken)
    const again = document.createElement('link')
    again.rel = 'stylesheet'
    again.href = broken.href
    const isLoaded = new Promise<boolean>((resolve) => {
      again.onload = () => resolve(true)
      again.onerror = () => resolve(false)
    })
    broken.replaceWith(again)
    return isLoaded
  })
  return (await Promise.all(all)).every(Boolean)
}
