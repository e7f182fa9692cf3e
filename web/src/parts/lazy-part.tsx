/**
 * Parts of a page that are loaded when they are first shown. One that cannot be loaded leaves its place empty and is
 * tried again until it can: an error would replace the whole page, and with it what somebody has typed there.
 */
import { type ComponentType, lazy, type ReactNode, Suspense } from 'react'
import { isReachable } from '../api/reachable.js'
import { texts } from '../texts/texts.js'
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
  return lazy(async () => ({ default: (await loadAtLast(load))[name] as ComponentType })) as Module[Name]
}

let missing = 0

async function loadAtLast<Module>(load: () => Promise<Module>): Promise<Module> {
  const found = await load().catch(() => undefined)
  if (found !== undefined) return found
  missing += 1
  sayTryAgain()
  for (;;) {
    await nextRound()
    try {
      const loaded = await load()
      missing -= 1
      if (missing === 0) sayNothing()
      return loaded
    } catch (error) {
      // The service answers, but not with this file: it was updated, or the browser remembers the failure.
      console.error(error)
      say(texts.errors.reload, () => location.reload())
    }
  }
}

let notice: { readonly advice: string; readonly hide: () => void } | undefined

function say(advice: string, run: () => void): void {
  if (notice?.advice === advice) return
  sayNothing()
  notice = { advice, hide: showLasting(texts.errors.part, { label: advice, run }) }
}

function sayTryAgain(): void {
  say(texts.common.retry, () => {
    notice = undefined
    void tryNow()
  })
}

function sayNothing(): void {
  notice?.hide()
  notice = undefined
}

const roundEvery = 5_000
let waiting: (() => void)[] = []
let timer: number | undefined

/** All parts that are missing are tried together. */
function nextRound(): Promise<void> {
  timer ??= window.setTimeout(tryNow, roundEvery)
  return new Promise((resolve) => waiting.push(resolve))
}

async function tryNow(): Promise<void> {
  if (timer === undefined) return
  window.clearTimeout(timer)
  timer = undefined
  const tried = waiting
  waiting = []
  const canLoad = (await isReachable()) && (await loadStylesAgain())
  if (!canLoad) sayTryAgain()
  for (const goOn of tried) canLoad ? goOn() : void nextRound().then(goOn)
}

window.addEventListener('online', tryNow)

const brokenStyles = new Set<HTMLLinkElement>()

window.addEventListener(
  'error',
  ({ target }) => {
    if (target instanceof HTMLLinkElement && target.rel === 'stylesheet') brokenStyles.add(target)
  },
  true,
)

/** The loader of the build asks for a style sheet once. Returns whether all of them are there. */
async function loadStylesAgain(): Promise<boolean> {
  const tries = [...brokenStyles].map((broken) => {
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
  return (await Promise.all(tries)).every(Boolean)
}
