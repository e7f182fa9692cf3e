import './theme/mantine.js'
import { MantineProvider, mergeThemeOverrides } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { lazy, StrictMode, Suspense } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from './api/query-client.js'
import { router } from './routes.js'
import { SessionGuard } from './shell/SessionGuard.js'
import { loadTexts, preferredLanguage, texts } from './texts/texts.js'
import { theme } from './theme/theme.js'

// Nothing is announced before the first page is there; what is, waits for it.
const Notifications = lazy(async () => ({ default: (await import('@mantine/notifications')).Notifications }))

await loadTexts(preferredLanguage())

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no element #root')
// Known only now that the texts are here: what a screen reader says for the cross of a dialog.
const closeButtonProps = { 'aria-label': texts.common.close }
const spoken = mergeThemeOverrides(theme, { components: { Modal: { defaultProps: { closeButtonProps } } } })
createRoot(root).render(
  <StrictMode>
    <MantineProvider theme={spoken} defaultColorScheme="auto" withCssVariables={false} withGlobalClasses={false}>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
        <Suspense>
          <Notifications position="bottom-center" autoClose={4000} limit={3} transitionDuration={120} />
        </Suspense>
        <SessionGuard />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
)
