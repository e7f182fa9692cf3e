/** Creates links from a CSV or XLSX file: upload, progress, and the result of each row as a file. */
import { Button, FileButton, Modal } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Download, Upload } from 'lucide-react'
import { useEffect, useState } from 'react'
import { api, ask } from '../../api/client.js'
import { downloadBlob } from '../../parts/download.js'
import { Meter } from '../../parts/Meter.js'
import { errorText } from '../../parts/Problem.js'
import page from '../../parts/page.module.css'
import { showError } from '../../parts/toasts.js'
import { importTexts } from '../../texts/import.js'
import { texts } from '../../texts/texts.js'

interface ImportDialogProps {
  readonly group: string
  readonly onClose: () => void
}

export function ImportDialog({ group, onClose }: ImportDialogProps) {
  const [guid, setGuid] = useState<string>()
  const upload = useMutation({
    mutationFn: (file: File) => sendFile(group, file),
    onSuccess: (job) => setGuid(job.guid),
  })
  return (
    <Modal opened onClose={onClose} title={importTexts.title}>
      <div className={page.form}>
        {guid === undefined ? (
          <>
            <p className={page.hint}>{importTexts.hint}</p>
            <FileButton accept=".csv,.xlsx,.tsv,.txt" onChange={(file) => file && upload.mutate(file)}>
              {({ onClick }) => (
                <Button leftSection={<Upload size={16} />} loading={upload.isPending} onClick={onClick} data-autofocus>
                  {importTexts.choose}
                </Button>
              )}
            </FileButton>
            {upload.isError && (
              <p role="alert" className={page.problem}>
                {errorText(upload.error)}
              </p>
            )}
          </>
        ) : (
          <Job guid={guid} group={group} onClose={onClose} />
        )}
      </div>
    </Modal>
  )
}

interface JobProps extends ImportDialogProps {
  readonly guid: string
}

function Job({ guid, group, onClose }: JobProps) {
  const client = useQueryClient()
  const params = { path: { job_guid: guid } }
  const { data: job } = useQuery({
    queryKey: ['bulk-jobs', guid],
    queryFn: () => ask(api.GET('/v4/bulk/jobs/{job_guid}', { params })),
    refetchInterval: ({ state }) => (isOpen(state.data?.state) ? 1000 : false),
  })
  const cancel = useMutation({
    mutationFn: () => ask(api.POST('/v4/bulk/jobs/{job_guid}/cancel', { params })),
    onSuccess: (cancelled) => client.setQueryData(['bulk-jobs', guid], cancelled),
    onError: showError,
  })
  const download = useMutation({
    mutationFn: () => resultOf(guid),
    onSuccess: (result) => downloadBlob(result, 'result.csv'),
    onError: showError,
  })
  const isOver = job !== undefined && !isOpen(job.state)
  useEffect(() => {
    if (isOver) void client.invalidateQueries({ queryKey: ['groups', group] })
  }, [isOver, client, group])
  if (!job) return <p className={page.hint}>{texts.common.loading}</p>
  const { created, changed, refused } = job.counts
  return (
    <>
      <Meter value={job.rows_done} max={job.rows_total ?? job.rows_done + 1} label={importTexts.progress} />
      <p className={page.hint} role="status">
        {importTexts.states[job.state as keyof typeof importTexts.states]}{' '}
        {importTexts.counts(created, changed, refused)}
      </p>
      {job.error !== undefined && (
        <p role="alert" className={page.problem}>
          {job.error}
        </p>
      )}
      <div className={page.end}>
        {isOver ? (
          <>
            <Button
              variant="default"
              leftSection={<Download size={16} />}
              loading={download.isPending}
              onClick={() => download.mutate()}
            >
              {importTexts.download}
            </Button>
            <Button onClick={onClose}>{texts.common.close}</Button>
          </>
        ) : (
          <Button variant="default" loading={cancel.isPending} onClick={() => cancel.mutate()}>
            {importTexts.stop}
          </Button>
        )}
      </div>
    </>
  )
}

function isOpen(state: string | undefined): boolean {
  return state === undefined || state === 'waiting' || state === 'running'
}

/** The service looks into the file itself, so any of its types will do. */
function sendFile(group: string, file: File) {
  return ask(
    api.POST('/v4/bulk/jobs', {
      params: { query: { group_guid: group, name: file.name } },
      body: file.name,
      bodySerializer: () => file,
      headers: { 'content-type': 'application/octet-stream' },
    }),
  )
}

async function resultOf(job_guid: string): Promise<Blob> {
  const answer = api.GET('/v4/bulk/jobs/{job_guid}/result', { params: { path: { job_guid } }, parseAs: 'blob' })
  return (await ask(answer as Promise<{ data?: Blob; response: Response }>)) as Blob
}
