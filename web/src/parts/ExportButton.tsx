/** Begins an export of the service, shows its progress, and saves the file when it is there. */
import { ActionIcon, Button, Tooltip } from '@mantine/core'
import { useDidUpdate } from '@mantine/hooks'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { ApiError, api, ask } from '../api/client.js'
import type { components } from '../api/schema.js'
import { exportsTexts } from '../texts/exports.js'
import { formatNumber } from './format.js'
import { showDone, showError, showProblem } from './toasts.js'

export type Export = components['schemas']['Export']

interface ExportButtonProps {
  readonly label: string
  readonly start: () => Promise<Export>
  /** Only its icon. */
  readonly isSmall?: boolean
}

export function ExportButton({ label, start, isSmall = false }: ExportButtonProps) {
  const client = useQueryClient()
  const begin = useMutation({
    mutationFn: start,
    // It is among the files, too.
    onSuccess: ({ group_guid }) => void client.invalidateQueries({ queryKey: ['groups', group_guid, 'exports'] }),
    onError: showError,
  })
  const guid = begin.data?.guid ?? ''
  const { data: found, error } = useQuery({
    queryKey: ['exports', guid],
    queryFn: () => ask(api.GET('/v4/exports/{export_guid}', { params: { path: { export_guid: guid } } })),
    enabled: guid !== '',
    refetchInterval: ({ state }) => (isDeleted(state.error) || (state.data && !isAtWork(state.data)) ? false : 500),
  })
  const isGone = isDeleted(error)
  const made = guid === '' || isGone ? undefined : (found ?? begin.data)
  const isBusy = begin.isPending || (made !== undefined && isAtWork(made))
  useDidUpdate(() => {
    if (made && !isAtWork(made)) end(made)
    if (isGone) showProblem(exportsTexts.deleted)
  }, [made?.guid, made?.state, isGone])
  const progress = isBusy ? progressOf(made) : ''
  const run = () => begin.mutate()
  const said = (
    <span className={isSmall ? 'figures' : 'visually-hidden'} role="status">
      {progress}
    </span>
  )
  if (!isSmall) {
    return (
      <Button variant="default" leftSection={<Download size={16} />} disabled={isBusy} onClick={run}>
        {progress || label}
        {said}
      </Button>
    )
  }
  return (
    <>
      {said}
      <Tooltip label={label}>
        <ActionIcon size="md" aria-label={label} loading={isBusy} onClick={run}>
          <Download size={15} />
        </ActionIcon>
      </Tooltip>
    </>
  )
}

function isDeleted(error: Error | null): boolean {
  return error instanceof ApiError && error.status === 404
}

function isAtWork({ state }: Export): boolean {
  return state === 'waiting' || state === 'running'
}

export function progressOf(made: Export | undefined): string {
  if (!made || made.state === 'waiting') return exportsTexts.waiting
  const done = formatNumber(made.rows_done)
  return made.rows_total === undefined
    ? exportsTexts.some(done)
    : exportsTexts.rows(done, formatNumber(made.rows_total))
}

/** The browser itself saves it: it may be large. */
export function exportFile(guid: string): string {
  return `/v4/exports/${guid}/file`
}

function end({ guid, state, rows_done, error = exportsTexts.cancelled }: Export): void {
  if (state !== 'done') {
    showProblem(error)
    return
  }
  const anchor = document.createElement('a')
  anchor.href = exportFile(guid)
  anchor.download = ''
  anchor.click()
  showDone(exportsTexts.done(rows_done, formatNumber(rows_done)))
}
