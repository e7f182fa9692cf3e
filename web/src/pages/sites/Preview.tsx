/**
 * The page as the service draws it, in a frame as wide as a phone. Its document is empty at first and is filled from here:
 * the policy of the dashboard allows neither other addresses in frames nor inline styles, but style sheets that a script makes.
 */
import { Skeleton } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useRef } from 'react'
import { errorText, ProblemLine } from '../../parts/Problem.js'
import { siteTexts as words } from '../../texts/sites.js'
import type { Site } from './model.js'
import styles from './Preview.module.css'
import { type Overlay, previewQuery } from './queries.js'

interface PreviewProps {
  readonly site: Site
  /** What is typed and not saved yet. */
  readonly overlay: Overlay
}

export function Preview({ site, overlay }: PreviewProps) {
  const [shown] = useDebouncedValue(overlay, 250)
  const drawn = useQuery({ ...previewQuery(site, shown), placeholderData: keepPreviousData, retry: false })
  return (
    <div className={styles.preview}>
      <div className={styles.phone}>
        {drawn.data === undefined ? <Skeleton className={styles.empty} /> : <Frame html={drawn.data} />}
      </div>
      <ProblemLine>{drawn.error && errorText(drawn.error)}</ProblemLine>
    </div>
  )
}

function Frame({ html }: { readonly html: string }) {
  const frame = useRef<HTMLIFrameElement>(null)
  const show = useCallback(() => {
    const view = frame.current?.contentWindow
    if (view) draw(view as Window & typeof globalThis, html)
  }, [html])
  useEffect(show, [show])
  return (
    <iframe
      ref={frame}
      title={words.preview}
      sandbox="allow-same-origin"
      className={styles.frame}
      tabIndex={-1}
      // Some browsers replace the first document when the frame has loaded.
      onLoad={show}
    />
  )
}

function draw(view: Window & typeof globalThis, html: string): void {
  // Taken out before it is parsed: the policy holds for the parsed document too.
  const [style = '', css = ''] = /<style>([\s\S]*?)<\/style>/.exec(html) ?? []
  const page = new DOMParser().parseFromString(html.replace(style, ''), 'text/html')
  const sheet = new view.CSSStyleSheet()
  sheet.replaceSync(css)
  const { document: shown } = view
  const { lang, dir } = page.documentElement
  Object.assign(shown.documentElement, { lang, dir })
  shown.adoptedStyleSheets = [sheet]
  // It is to be looked at: nothing leads away.
  for (const anchor of page.body.querySelectorAll('a')) anchor.removeAttribute('href')
  const { scrollY } = view
  shown.body.replaceChildren(...[...page.body.childNodes].map((node) => shown.adoptNode(node)))
  view.scrollTo(0, scrollY)
}
