import { Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { api, ask } from '../../api/client.js'
import { userQuery } from '../../api/queries.js'
import { type Export, exportFile, progressOf } from '../../parts/ExportButton.js'
import { formatAge, formatMoment, formatNumber } from '../../parts/format.js'
import { Meter } from '../../parts/Meter.js'
import page from '../../parts/page.module.css'
import { RowText } from '../../parts/Rows.js'
import { showError } from '../../parts/toasts.js'
import { exportListTexts as words } from '../../texts/export-list.js'
import { exportsTexts } from '../../texts/exports.js'
import { importTexts } from '../../texts/import.js'
import styles from './imports.module.css'
import { exportsQuery, isOpen } from './queries.js'
import { StateMark } from './StateMark.js'
import { StopOrDelete } from './StopOrDelete.js'

interface ExportRowProps {
  readonly made: Export
  readonly mayWrite: boolean
}

export function ExportRow({ made, mayWrite }: ExportRowProps) {
  const { guid, group_guid, export_type, state, rows_done, rows_total, created, created_by, error } = made
  const title = words.types[export_type]
  const name = words.name(title, formatMoment(created))
  const client = useQueryClient()
  const { data: user } = useQuery(userQuery)
  const params = { path: { export_guid: guid } }
  const shared = {
    onSettled: () => client.invalidateQueries({ queryKey: exportsQuery(group_guid).queryKey }),
    onError: showError,
  }
  const stop = useMutation({
    mutationFn: () => ask(api.POST('/v4/exports/{export_guid}/cancel', { params })),
    ...shared,
  })
  const remove = useMutation({ mutationFn: () => ask(api.DELETE('/v4/exports/{export_guid}', { params })), ...shared })
  const isOwn = mayWrite || created_by === user?.login
  return (
    <>
      <StateMark state={state} />
      <RowText title={title}>
        {created_by} ·{' '}
        <time dateTime={created} title={formatMoment(created)}>
          {formatAge(created)}
        </time>
      </RowText>
      {state === 'done' && (
        <Button
          variant="default"
          leftSection={<Download size={16} />}
          aria-label={words.downloadOf(name)}
          renderRoot={(props) => <a href={exportFile(guid)} download {...props} />}
        >
          {words.download}
        </Button>
      )}
      {isOwn && <StopOrDelete name={name} isOpen={isOpen(made)} stop={stop} remove={remove} hint={words.deleteHint} />}
      <div className={styles.state}>
        {state === 'running' && (
          <Meter value={rows_done} max={rows_total ?? rows_done + 1} label={importTexts.progress(name)} />
        )}
        <p className={page.hint} role="status">
          {words.states[state]} {countOf(made)}
        </p>
        {error !== undefined && <p className={page.problem}>{error}</p>}
      </div>
    </>
  )
}

function countOf(made: Export): string {
  if (made.state === 'done') return exportsTexts.done(made.rows_done, formatNumber(made.rows_done))
  return made.state === 'running' ? progressOf(made) : ''
}
