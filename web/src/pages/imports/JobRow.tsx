import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Copy, Download, QrCode } from 'lucide-react'
import { api, ask } from '../../api/client.js'
import { copyText } from '../../parts/copy-text.js'
import { downloadBlob } from '../../parts/download.js'
import { formatAge, formatMoment, formatNumber } from '../../parts/format.js'
import { Meter } from '../../parts/Meter.js'
import page from '../../parts/page.module.css'
import { RowText } from '../../parts/Rows.js'
import { RunButton } from '../../parts/RunButton.js'
import { showDone, showError, showProblem } from '../../parts/toasts.js'
import { importTexts } from '../../texts/import.js'
import { texts } from '../../texts/texts.js'
import { codesOf, maxCodes, saveCodes } from '../create/save-links.js'
import styles from './imports.module.css'
import { outcomeOf } from './outcome.js'
import { isOpen, type Job, jobsQuery, linksOf, resultOf } from './queries.js'
import { StateMark } from './StateMark.js'
import { StopOrDelete } from './StopOrDelete.js'

interface JobRowProps {
  readonly job: Job
  readonly mayWrite: boolean
}

export function JobRow({ job, mayWrite }: JobRowProps) {
  const { guid, group_guid, action, bytes, state, rows_done, rows_total, created, created_by } = job
  const name = job.name || guid
  const fileName = name.replace(/\.\w+$/, '')
  const client = useQueryClient()
  const params = { path: { job_guid: guid } }
  const shared = {
    onSettled: () => client.invalidateQueries({ queryKey: jobsQuery(group_guid).queryKey }),
    onError: showError,
  }
  const stop = useMutation({
    mutationFn: () => ask(api.POST('/v4/bulk/jobs/{job_guid}/cancel', { params })),
    ...shared,
  })
  const remove = useMutation({
    mutationFn: () => ask(api.DELETE('/v4/bulk/jobs/{job_guid}', { params })),
    ...shared,
  })
  const download = useMutation({
    mutationFn: () => resultOf(guid),
    onSuccess: (result) => downloadBlob(result, `${importTexts.resultName}-${fileName}.csv`),
    onError: showError,
  })
  const copyAll = useMutation({
    mutationFn: async () => copyText((await linksOf(guid)).join('\n')),
    onSuccess: (isCopied) => (isCopied ? showDone(texts.common.copied) : showProblem(importTexts.copyFailed)),
    onError: showError,
  })
  const codes = useMutation({
    mutationFn: async () => saveCodes(group_guid, codesOf(await linksOf(guid)), fileName),
    onError: showError,
  })
  const made = action === 'create' && !isOpen(job) ? job.counts.created + job.counts.changed : 0
  return (
    <>
      <StateMark state={state} />
      <RowText title={name}>
        {importTexts.actions[action]} · {created_by} ·{' '}
        <time dateTime={created} title={formatMoment(created)}>
          {formatAge(created)}
        </time>
      </RowText>
      {(state === 'done' || state === 'cancelled') && bytes > 0 && (
        <RunButton
          run={download}
          variant="default"
          leftSection={<Download size={16} />}
          aria-label={importTexts.downloadOf(name)}
        >
          {importTexts.download}
        </RunButton>
      )}
      {mayWrite && (
        <StopOrDelete name={name} isOpen={isOpen(job)} stop={stop} remove={remove} hint={importTexts.deleteHint} />
      )}
      <div className={styles.state}>
        {state === 'running' && (
          <Meter value={rows_done} max={rows_total ?? rows_done + 1} label={importTexts.progress(name)} />
        )}
        <p className={page.hint} role="status">
          {(state !== 'failed' || bytes > 0) && importTexts.states[state]} {state !== 'failed' && countsOf(job)}
        </p>
        {made > 0 && (
          <div className={styles.links}>
            <RunButton
              run={copyAll}
              variant="subtle"
              size="compact-sm"
              leftSection={<Copy size={14} />}
              aria-label={importTexts.copyAllOf(name)}
            >
              {importTexts.copyAll}
            </RunButton>
            {made <= maxCodes && (
              <RunButton
                run={codes}
                variant="subtle"
                size="compact-sm"
                leftSection={<QrCode size={14} />}
                aria-label={importTexts.codesOf(name)}
              >
                {importTexts.codes}
              </RunButton>
            )}
          </div>
        )}
        {job.error !== undefined && <p className={page.problem}>{job.error}</p>}
      </div>
    </>
  )
}

function countsOf(job: Job): string {
  const { state, rows_done, rows_total } = job
  if (state === 'waiting') return ''
  const rows = rows_total === undefined ? '' : importTexts.rows(formatNumber(rows_done), formatNumber(rows_total))
  return state === 'running' ? `${rows} ${outcomeOf(job)}` : outcomeOf(job)
}
