/** What can be done with all links that match, also those that are not loaded: a job of the API. */
import { Button } from '@mantine/core'
import { useDidUpdate } from '@mantine/hooks'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Archive, ArchiveRestore, Trash2, X } from 'lucide-react'
import { useState } from 'react'
import { api, ask } from '../../api/client.js'
import { refreshGroup } from '../../api/queries.js'
import { ConfirmDialog } from '../../parts/ConfirmDialog.js'
import { ExportButton } from '../../parts/ExportButton.js'
import { formatNumber } from '../../parts/format.js'
import { Meter } from '../../parts/Meter.js'
import { RunButton } from '../../parts/RunButton.js'
import { showError } from '../../parts/toasts.js'
import { importTexts } from '../../texts/import.js'
import { texts } from '../../texts/texts.js'
import { outcomeOf } from '../imports/outcome.js'
import { isOpen } from '../imports/queries.js'
import { type Counted, changeMatching, countText, exportLinks, jobQuery } from './queries.js'
import { TagButton } from './SelectionBar.js'
import styles from './SelectionBar.module.css'
import type { LinkSearch } from './search.js'

interface EverythingBarProps {
  readonly group: string
  readonly search: LinkSearch
  readonly counted: Counted
  /** With the job. */
  readonly onStart: (guid: string) => void
  readonly onClear: () => void
}

type Change = Parameters<typeof changeMatching>[3]

export function EverythingBar({ group, search, counted, onStart, onClear }: EverythingBarProps) {
  const client = useQueryClient()
  const [asked, setAsked] = useState<Change>()
  const count = countText(counted)
  const start = useMutation({
    mutationFn: (change: Change) => changeMatching(group, search, counted, change),
    onSuccess: ({ guid }) => onStart(guid),
    onError: (error) => {
      setAsked(undefined)
      showError(error)
      // There may be more by now.
      void refreshGroup(client, group)
    },
  })
  const askArchive = (archive: boolean) =>
    setAsked({ action: 'archive', archive, name: archive ? texts.links.archive : texts.links.restore })
  const { archived = 'off' } = search
  return (
    <div className={styles.bar} role="toolbar" aria-label={texts.links.everything(count)}>
      <span className={`figures ${styles.count}`}>{texts.links.everything(count)}</span>
      <TagButton
        label={texts.links.addTags}
        onTag={(add_tags) => setAsked({ action: 'edit_tags', add_tags, name: texts.links.addTags })}
      />
      <TagButton
        label={texts.links.removeTags}
        onTag={(remove_tags) => setAsked({ action: 'edit_tags', remove_tags, name: texts.links.removeTags })}
      />
      <ExportButton label={texts.links.export} start={() => exportLinks(group, { search })} />
      {archived !== 'on' && (
        <Button variant="default" leftSection={<Archive size={16} />} onClick={() => askArchive(true)}>
          {texts.links.archive}
        </Button>
      )}
      {archived !== 'off' && (
        <Button variant="default" leftSection={<ArchiveRestore size={16} />} onClick={() => askArchive(false)}>
          {texts.links.restore}
        </Button>
      )}
      <Button
        variant="default"
        leftSection={<Trash2 size={16} />}
        onClick={() => setAsked({ action: 'delete', name: texts.common.delete })}
      >
        {texts.common.delete}
      </Button>
      <Button
        variant="subtle"
        color="gray"
        className={styles.clear}
        aria-label={texts.links.clearSelection}
        onClick={onClear}
      >
        <X size={16} />
      </Button>
      {asked && (
        <ConfirmDialog
          title={texts.links.everythingTitle(asked.name, count)}
          action={asked.name}
          isBusy={start.isPending}
          onConfirm={() => start.mutate({ ...asked, name: texts.links.everythingName(asked.name, count) })}
          onClose={() => setAsked(undefined)}
        >
          {asked.action === 'delete' ? texts.links.deleteHint : texts.links.everythingHint}
        </ConfirmDialog>
      )}
    </div>
  )
}

interface JobBarProps {
  readonly group: string
  readonly guid: string
  readonly onClose: () => void
}

/** Progress, and what became of it. The job goes on without the page, and is among the files. */
export function JobBar({ group, guid, onClose }: JobBarProps) {
  const client = useQueryClient()
  const { data: job } = useQuery(jobQuery(group, guid))
  const isAtWork = !job || isOpen(job)
  const stop = useMutation({
    mutationFn: () => ask(api.POST('/v4/bulk/jobs/{job_guid}/cancel', { params: { path: { job_guid: guid } } })),
    onSettled: () => client.invalidateQueries({ queryKey: jobQuery(group, guid).queryKey }),
    onError: showError,
  })
  useDidUpdate(() => {
    if (!isAtWork) void refreshGroup(client, group)
  }, [isAtWork])
  const { rows_done: done = 0, rows_total: total, name = '', error } = job ?? {}
  const said = isAtWork
    ? total === undefined
      ? importTexts.states.waiting
      : importTexts.rows(formatNumber(done), formatNumber(total))
    : (error ?? `${importTexts.states[job.state]} ${outcomeOf(job)}`)
  return (
    <section className={styles.bar} aria-label={name}>
      <span className={styles.job}>
        <span className="figures" role="status">
          {name}: {said}
        </span>
        {isAtWork && <Meter value={done} max={total ?? done + 1} label={importTexts.progress(name)} />}
      </span>
      {isAtWork ? (
        <RunButton run={stop} variant="default">
          {importTexts.stop}
        </RunButton>
      ) : (
        <>
          {job.bytes > 0 && (
            <Button
              variant="default"
              renderRoot={(props) => <Link to="/$group/links/imports" params={{ group }} {...props} />}
            >
              {importTexts.download}
            </Button>
          )}
          <Button
            variant="subtle"
            color="gray"
            className={styles.clear}
            aria-label={texts.common.close}
            onClick={onClose}
          >
            <X size={16} />
          </Button>
        </>
      )}
    </section>
  )
}
