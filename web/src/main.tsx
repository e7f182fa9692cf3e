import './theme/mantine.js'
import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from './api/query-client.js'
import { router } from './routes.js'
import { SessionGuard } from './shell/SessionGuard.js'
import { loadTexts, preferredLanguage } from './texts/texts.js'
import { theme } from './theme/theme.js'

await loadTexts(preferredLanguage())

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no element #root')
createRoot(root).render(
  <StrictMode>
    <MantineProvider theme={theme} defaultColorScheme="auto" withCssVariables={false} withGlobalClasses={false}>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
        <Notifications position="bottom-center" autoClose={4000} limit={3} transitionDuration={120} />
        <SessionGuard />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
)
