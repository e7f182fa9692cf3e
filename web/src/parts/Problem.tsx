import { Button } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import { ApiError } from '../api/client.js'
import { isReachable, Unreachable } from '../api/reachable.js'
import { texts } from '../texts/texts.js'
import styles from './Problem.module.css'
import page from './page.module.css'

interface MessageProps {
  readonly title: string
  readonly children?: ReactNode
  readonly action?: ReactNode
  readonly picture?: ReactNode
  /** There is nothing else on the page. */
  readonly isPage?: boolean
}

/** One centred message with one thing to do: empty lists, errors, missing pages. */
export function Message({ title, children, action, picture, isPage = false }: MessageProps) {
  const Title = isPage ? 'h1' : 'h2'
  return (
    <div className={styles.message}>
      {picture && <div className={styles.picture}>{picture}</div>}
      <Title className={styles.title}>{title}</Title>
      {children && <p className={styles.text}>{children}</p>}
      {action}
    </div>
  )
}

interface ProblemProps {
  readonly error: unknown
  readonly onRetry?: () => void
}

/** Says what went wrong in a place that could not be loaded, and what to do. */
export function Problem({ error, onRetry }: ProblemProps) {
  const { title, hint } = describe(error)
  const isFinal = error instanceof ApiError && (error.isMissing || error.isForbidden)
  return (
    <div role="alert">
      <Message
        title={title}
        action={
          onRetry &&
          !isFinal && (
            <Button variant="default" onClick={onRetry}>
              {texts.common.retry}
            </Button>
          )
        }
      >
        {hint}
      </Message>
    </div>
  )
}

/** One line about what went wrong, beside what it is about; none without a text. */
export function ProblemLine({ children }: { readonly children: ReactNode }) {
  if (!children) return null
  return (
    <p role="alert" className={page.problem}>
      {children}
    </p>
  )
}

/** A sentence for a toast or beside a button. */
export function errorText(error: unknown): string {
  return describe(error).hint
}

function describe(error: unknown): { title: string; hint: string } {
  const { errors } = texts
  if (!(error instanceof ApiError)) return { title: errors.title, hint: errors.offline }
  if (error.isForbidden) return { title: errors.noAccess, hint: said(error) || errors.noAccessHint }
  if (error.isMissing) return { title: errors.missing, hint: errors.missingHint }
  // Limits of the plan have the same status, and words of their own.
  if (error.status === 429 && /^(RATE_LIMIT_EXCEEDED|UNKNOWN)$/.test(error.code)) {
    return { title: errors.title, hint: errors.rateLimit(error.retryAfter) }
  }
  if (error.status >= 500) return { title: errors.title, hint: errors.server }
  return { title: errors.title, hint: said(error) }
}

/** In the person's language: the API speaks English. */
function said({ code, resource, description }: ApiError): string {
  const { codes, argument } = texts.errors
  const [, name] = /^INVALID_ARG_(.+)$/.exec(code) ?? []
  return codes[`${code} ${resource}`] ?? codes[code] ?? (name && argument(name)) ?? description
}

export function MissingPage() {
  return (
    <Message title={texts.errors.missing} isPage>
      {texts.errors.missingHint}
    </Message>
  )
}

export function CrashPage({ error }: { readonly error: unknown }) {
  const isTemporary = error instanceof ApiError ? error.status >= 500 : isNotLoaded(error)
  useEffect(() => {
    if (!isTemporary) return undefined
    const timer = window.setInterval(() => void reloadIfReachable(), recoverEvery)
    return () => window.clearInterval(timer)
  }, [isTemporary])
  if (isTemporary) return <Problem error={error} onRetry={() => void reloadIfReachable()} />
  if (error instanceof ApiError) return <Problem error={error} onRetry={() => location.reload()} />
  return (
    <Message
      title={texts.errors.crashed}
      isPage
      action={<Button onClick={() => location.reload()}>{texts.errors.reload}</Button>}
    >
      {texts.errors.crashedHint}
    </Message>
  )
}

/** A page that could not be loaded is tried again this often. */
const recoverEvery = 5_000

/** The script of a page or a dialog; each browser has its own words. */
function isNotLoaded(error: unknown): boolean {
  if (error instanceof Unreachable) return true
  return (
    error instanceof Error && /dynamically imported module|importing a module script|preload css/i.test(error.message)
  )
}

/** Otherwise the browser would show its own error page. */
export async function reloadIfReachable(): Promise<void> {
  if (await isReachable()) location.reload()
}
