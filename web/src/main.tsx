import './theme/mantine.js'
import { MantineProvider, mergeThemeOverrides } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from './api/query-client.js'
import { Toasts } from './parts/toasts.js'
import { router } from './routes.js'
import { SessionGuard } from './shell/SessionGuard.js'
import { loadTexts, preferredLanguage, texts } from './texts/texts.js'
import { theme } from './theme/theme.js'

/** Not awaited by the module itself: a catalogue of texts imports from the same file. */
async function start(): Promise<void> {
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
          <Toasts />
          <SessionGuard />
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  )
}

void start()
