import { ActionIcon, Menu } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Ellipsis, Merge, Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { api, ask } from '../../api/client.js'
import { refreshGroup, type TagDetails, tagsQuery } from '../../api/queries.js'
import { Card } from '../../parts/Card.js'
import { ConfirmDialog } from '../../parts/ConfirmDialog.js'
import { Empty } from '../../parts/Empty.js'
import { formatNumber } from '../../parts/format.js'
import { Rows, RowText } from '../../parts/Rows.js'
import { SearchField } from '../../parts/SearchField.js'
import { TagChip } from '../../parts/TagChip.js'
import { showError } from '../../parts/toasts.js'
import { useGroup, useGroupGuid, useMayWrite } from '../../shell/current-group.js'
import { people } from '../../texts/people.js'
import { texts } from '../../texts/texts.js'
import type { Job } from '../imports/queries.js'
import { JobBar } from '../links/EverythingBar.js'
import { EditTagDialog, jobIn, MergeTagDialog, whatHas } from './TagDialogs.js'
import styles from './Tags.module.css'

const searchedFrom = 10

interface Asked {
  readonly what: 'edit' | 'merge' | 'delete'
  readonly tag: TagDetails
}

/** The tags of the group: how they look, what they mean, and what has them. */
export function TagsCard() {
  const client = useQueryClient()
  const group = useGroupGuid()
  const name = useGroup()?.name ?? ''
  const mayWrite = useMayWrite()
  const tags = useQuery(tagsQuery(group))
  const [words, setWords] = useState<string>()
  const [asked, setAsked] = useState<Asked>()
  const [job, setJob] = useState<string>()
  const all = tags.data ?? []
  const found = words ? all.filter((tag) => mentions(tag, words)) : all
  const most = Math.max(1, ...all.map(({ links }) => links))
  const done = async (started: Job | undefined) => {
    setAsked(undefined)
    setJob(started?.guid)
    await refreshGroup(client, group)
  }
  const remove = useMutation({
    mutationFn: (tag: string) =>
      ask(api.DELETE('/v4/groups/{group_guid}/tags/{tag}', { params: { path: { group_guid: group, tag } } })),
    onSuccess: (answer) => done(jobIn(answer)),
    onError: showError,
  })
  const said = people.settings.tags
  return (
    <Card title={said.of(name)} hint={said.hint}>
      {all.length >= searchedFrom && <SearchField label={said.search} value={words} onSearch={setWords} />}
      <Rows
        query={{ ...tags, data: tags.data && found }}
        keyOf={(tag) => tag.name}
        className={styles.list}
        empty={
          words ? (
            <Empty drawing="search" title={said.notFound} />
          ) : (
            <Empty drawing="tags" title={said.none}>
              {said.noneHint}
            </Empty>
          )
        }
        row={(tag) => (
          <>
            <RowText title={<TagChip tag={tag.name} />}>{tag.description}</RowText>
            <span className={styles.share} aria-hidden="true">
              <i style={{ width: `${(100 * tag.links) / most}%` }} data-tag-color={tag.color} />
            </span>
            <span className={styles.counts}>
              {tag.links > 0 && (
                <Link to="/$group/links" params={{ group }} search={{ tags: [tag.name] }} className={styles.link}>
                  {said.links(tag.links, formatNumber(tag.links))}
                </Link>
              )}
              {tag.qr_codes > 0 && <span>{said.codes(tag.qr_codes, formatNumber(tag.qr_codes))}</span>}
            </span>
            {mayWrite && <TagMenu tag={tag} isAlone={all.length === 1} onAsk={setAsked} />}
          </>
        )}
      />
      {job && <JobBar key={job} group={group} guid={job} onClose={() => setJob(undefined)} />}
      {asked?.what === 'edit' && (
        <EditTagDialog group={group} tag={asked.tag} known={all} onSaved={done} onClose={() => setAsked(undefined)} />
      )}
      {asked?.what === 'merge' && (
        <MergeTagDialog group={group} tag={asked.tag} known={all} onSaved={done} onClose={() => setAsked(undefined)} />
      )}
      {asked?.what === 'delete' && (
        <ConfirmDialog
          title={said.deleteTitle(asked.tag.name)}
          action={texts.common.delete}
          isBusy={remove.isPending}
          onConfirm={() => remove.mutate(asked.tag.name)}
          onClose={() => setAsked(undefined)}
        >
          {said.deleteHint(whatHas(asked.tag))}
        </ConfirmDialog>
      )}
    </Card>
  )
}

interface TagMenuProps {
  readonly tag: TagDetails
  readonly isAlone: boolean
  readonly onAsk: (asked: Asked) => void
}

function TagMenu({ tag, isAlone, onAsk }: TagMenuProps) {
  const said = people.settings.tags
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon size={36} aria-label={said.actions(tag.name)}>
          <Ellipsis size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<Pencil size={16} />} onClick={() => onAsk({ what: 'edit', tag })}>
          {texts.common.edit}
        </Menu.Item>
        <Menu.Item leftSection={<Merge size={16} />} disabled={isAlone} onClick={() => onAsk({ what: 'merge', tag })}>
          {said.merge}
        </Menu.Item>
        <Menu.Item color="red" leftSection={<Trash2 size={16} />} onClick={() => onAsk({ what: 'delete', tag })}>
          {texts.common.delete}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

function mentions({ name, description }: TagDetails, words: string): boolean {
  const text = `${name} ${description}`.toLowerCase()
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word.normalize('NFC')))
}
