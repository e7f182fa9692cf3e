/**
 * What can be done with the chosen links: tags, archive, export, compare, delete. Bulk changes are one step of the API per 100
 * links; it deletes them one by one, and not all.
 */
import { Button, Popover } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Archive, ArchiveRestore, Tag, Trash2, X } from 'lucide-react'
import { useState } from 'react'
import { ApiError, api, ask } from '../../api/client.js'
import { linkTagsQuery, refreshGroup } from '../../api/queries.js'
import type { ShortLink } from '../../api/types.js'
import { maxSeries } from '../../charts/max-series.js'
import { ConfirmDialog } from '../../parts/ConfirmDialog.js'
import { ExportButton } from '../../parts/ExportButton.js'
import { isTag, TagsField, wordsIn } from '../../parts/TagsField.js'
import { hideDone, showDone, showError, showUndo } from '../../parts/toasts.js'
import { useGroupGuid } from '../../shell/current-group.js'
import { texts } from '../../texts/texts.js'
import { CompareButton } from '../analytics/CompareButton.js'
import { pathOf } from '../link/queries.js'
import { type Counted, countText, exportLinks } from './queries.js'
import styles from './SelectionBar.module.css'
import type { Selection } from './selection.js'

const maxLinks = 100

interface SelectionBarProps {
  readonly links: readonly ShortLink[]
  readonly selection: Selection
  /** How many match, where there are more than these. */
  readonly total: Counted | undefined
}

type Change =
  | { readonly action: 'archive'; readonly archive: boolean }
  | { readonly action: 'edit_tags'; readonly add_tags?: string[]; readonly remove_tags?: string[] }

export function SelectionBar({ links, selection, total }: SelectionBarProps) {
  const group_guid = useGroupGuid()
  const client = useQueryClient()
  const rows = links.filter(({ id }) => selection.chosen.has(id))
  const chosen = rows.map(({ id }) => id)
  const chosenIn = (isArchived: boolean) => rows.filter(({ archived }) => archived === isArchived).map(({ id }) => id)
  const refresh = () => client.invalidateQueries({ queryKey: ['groups', group_guid] })
  const change = useMutation({
    mutationFn: async ({ ids, body }: { ids: readonly string[]; body: Change }) => {
      for (let start = 0; start < ids.length; start += maxLinks) {
        const part = { ...body, links: ids.slice(start, start + maxLinks) }
        await ask(api.PATCH('/v4/groups/{group_guid}/shortlinks', { params: { path: { group_guid } }, body: part }))
      }
    },
    onSuccess: async (_, { ids, body }) => {
      selection.clear()
      await refresh()
      if (body.action !== 'archive') {
        return showDone(body.add_tags ? texts.links.tagged(ids.length) : texts.links.untagged(ids.length))
      }
      const said = body.archive ? texts.links.archived(ids.length) : texts.links.restored(ids.length)
      showUndo(said, () => change.mutate({ ids, body: { action: 'archive', archive: !body.archive } }))
    },
    onError: showError,
  })
  const archiveButton = (archive: boolean) => {
    const ids = chosenIn(!archive)
    return (
      ids.length > 0 && (
        <Button
          variant="default"
          leftSection={archive ? <Archive size={16} /> : <ArchiveRestore size={16} />}
          loading={change.isPending}
          onClick={() => change.mutate({ ids, body: { action: 'archive', archive } })}
        >
          {archive ? texts.links.archive : texts.links.restore}
        </Button>
      )
    )
  }
  return (
    <div className={styles.bar} role="toolbar" aria-label={texts.links.selected(chosen.length)}>
      <span className={`figures ${styles.count}`}>{texts.links.selected(chosen.length)}</span>
      {total && chosen.length === links.length && (
        <Button variant="light" onClick={selection.chooseEverything}>
          {texts.links.selectEverything(countText(total))}
        </Button>
      )}
      <TagButton
        label={texts.links.addTags}
        onTag={(add_tags) => change.mutate({ ids: chosen, body: { action: 'edit_tags', add_tags } })}
      />
      {rows.some(({ tags }) => tags.length > 0) && (
        <TagButton
          label={texts.links.removeTags}
          known={[...new Set(rows.flatMap(({ tags }) => tags))]}
          onTag={(remove_tags) => change.mutate({ ids: chosen, body: { action: 'edit_tags', remove_tags } })}
        />
      )}
      {archiveButton(true)}
      {archiveButton(false)}
      <ExportButton label={texts.links.export} start={() => exportLinks(group_guid, { ids: chosen })} />
      {chosen.length > 1 && chosen.length <= maxSeries && <CompareButton search={{ ids: chosen }} />}
      <DeleteButton group={group_guid} links={rows} selection={selection} />
      <Button
        variant="subtle"
        color="gray"
        className={styles.clear}
        aria-label={texts.links.clearSelection}
        onClick={selection.clear}
      >
        <X size={16} />
      </Button>
    </div>
  )
}

interface DeleteButtonProps {
  readonly group: string
  readonly links: readonly ShortLink[]
  readonly selection: Selection
}

/** Deletes those that may be deleted; the others stay chosen, so that they can be archived. */
function DeleteButton({ group, links, selection }: DeleteButtonProps) {
  const client = useQueryClient()
  const [isAsking, setIsAsking] = useState(false)
  const remove = useMutation({
    mutationFn: async () => {
      const answers = await Promise.allSettled(
        links.map(({ id }) => ask(api.DELETE('/v4/shortlinks/{domain}/{hash}', { params: { path: pathOf(id) } }))),
      )
      const failures = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as unknown] : []))
      const other = failures.find((reason) => !(reason instanceof ApiError) || reason.code !== 'BAD_REQUEST')
      if (other) showError(other)
      return links.map(({ id }) => id).filter((_, index) => answers[index]?.status === 'rejected')
    },
    onSuccess: async (kept) => {
      setIsAsking(false)
      selection.choose(kept)
      showDone(texts.links.deleted(links.length - kept.length, kept.length))
      await refreshGroup(client, group)
    },
  })
  return (
    <>
      <Button variant="default" leftSection={<Trash2 size={16} />} onClick={() => setIsAsking(true)}>
        {texts.common.delete}
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={texts.links.deleteTitle(links.length)}
          action={texts.common.delete}
          isBusy={remove.isPending}
          onConfirm={() => remove.mutate()}
          onClose={() => setIsAsking(false)}
        >
          {texts.links.deleteHint}
        </ConfirmDialog>
      )}
    </>
  )
}

interface TagButtonProps {
  readonly label: string
  /** Which tags are offered: those of the group, unless told otherwise. */
  readonly known?: readonly string[]
  readonly onTag: (tags: string[]) => void
}

export function TagButton({ label, known: offered, onTag }: TagButtonProps) {
  const { data: ofGroup = [] } = useQuery({ ...linkTagsQuery(useGroupGuid()), enabled: !offered })
  const known = offered ?? ofGroup
  const [tags, setTags] = useState<string[]>([])
  const [typed, setTyped] = useState('')
  const all = [...new Set([...tags, ...wordsIn(typed)])]
  return (
    <Popover position="top" width={280} trapFocus onOpen={hideDone}>
      <Popover.Target>
        <Button variant="default" leftSection={<Tag size={16} />}>
          {label}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <TagsField
          label={label}
          data={[...known]}
          value={tags}
          onChange={setTags}
          typed={typed}
          onTyped={setTyped}
          // Above: below it would cover the button.
          comboboxProps={{ withinPortal: false, position: 'top' }}
        />
        <Button
          fullWidth
          mt="sm"
          disabled={all.length === 0 || !all.every(isTag)}
          // The field keeps the focus: without it, it would take the word, grow, and move the button away.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onTag(all)}
        >
          {label}
        </Button>
      </Popover.Dropdown>
    </Popover>
  )
}
