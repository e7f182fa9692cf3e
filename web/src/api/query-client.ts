import { QueryClient } from '@tanstack/react-query'
import { ApiError, shortWait } from './client.js'

const askAgainAfter = 5_000

/** Answers of the API below 500 do not change by asking again, except 429: another tab may have asked too much at once. */
function isTemporary(error: Error): boolean {
  return !(error instanceof ApiError) || error.status >= 500 || error.status === 429
}

function isWorthRetrying(failures: number, error: Error): boolean {
  if (error instanceof ApiError && error.status === 429) return failures < 3 && waitFor(error) <= shortWait * 1000
  return failures < 2 && isTemporary(error)
}

function waitFor(error: Error): number {
  return error instanceof ApiError && error.retryAfter !== undefined ? error.retryAfter * 1000 : askAgainAfter
}

/** What failed is asked for again until it works: a page recovers by itself. */
function recoverAfter({ state: { status, error } }: { readonly state: { status: string; error: Error | null } }) {
  return status === 'error' && error && isTemporary(error) ? waitFor(error) : false
}

/**
 * Asked also where the browser says that it is offline: it means the internet, and the service may be on this machine.
 * Otherwise people would wait without a word.
 */
const networkMode = 'always'

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      retry: isWorthRetrying,
      refetchInterval: recoverAfter,
      refetchOnWindowFocus: true,
      refetchOnReconnect: true,
      networkMode,
    },
    mutations: { retry: false, networkMode },
  },
})
