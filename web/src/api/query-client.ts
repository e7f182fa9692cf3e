import { QueryClient } from '@tanstack/react-query'
import { ApiError } from './client.js'

/** Answers of the API below 500 do not change by asking again, except 429: another tab may have asked too much at once. */
function isWorthRetrying(failures: number, error: Error): boolean {
  if (error instanceof ApiError && error.status === 429) return failures < 3
  return failures < 2 && !(error instanceof ApiError && error.status < 500)
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { staleTime: 30_000, retry: isWorthRetrying, refetchOnWindowFocus: true },
    mutations: { retry: false },
  },
})
