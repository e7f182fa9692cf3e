/** The fields of one block, new or not. The preview follows while one types; the draft changes on saving. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useMemo, useRef, useState } from 'react'
import { ApiError } from '../../api/client.js'
import { isOther } from '../../api/is-other.js'
import { type Edit, ownFields, saveMerged } from '../../api/save-merged.js'
import { Form, FormEnd } from '../../parts/Form.js'
import { fieldErrors } from '../../parts/field-errors.js'
import { Conflicts, useMergedSave } from '../../parts/merged-save.js'
import { siteTexts as words } from '../../texts/sites.js'
import { BlockFields } from './BlockFields.js'
import { type BlockDraft, bodyOfDraft, draftOf, isComplete, newBlock, newBodyOf } from './block-draft.js'
import type { Block, BlockType, Site } from './model.js'
import { addBlock, changeBlock, readSite, refreshSites } from './queries.js'
import { ScheduleFields } from './ScheduleFields.js'
import { isScheduleRight } from './schedule.js'
import { type OnTyped, useTyped } from './typed.js'

const fields = ownFields<BlockDraft>()

type BlockFormProps = {
  readonly site: Site
  readonly onTyped: OnTyped
  readonly onSaved: () => void
  readonly onClose: () => void
} & (
  | { readonly block: Block }
  | { readonly block?: undefined; readonly type: BlockType; readonly container: string | undefined }
)

export function BlockForm(props: BlockFormProps) {
  const { site, block, onTyped, onSaved, onClose } = props
  const client = useQueryClient()
  const { site_guid, group_guid } = site
  const type = block ? block.type : props.type
  const container = block ? undefined : props.container
  const [edit, keep] = useState<Edit<BlockDraft>>(() => {
    const before = block ? draftOf(block) : newBlock(type)
    return { before, draft: before }
  })
  const { before, draft } = edit
  const save = useMutation({
    mutationFn: async (sent: Edit<BlockDraft>): Promise<unknown> => {
      if (!block) {
        const parent = container !== undefined && { parent: container }
        return addBlock(site_guid, type, { ...newBodyOf(type, sent.draft), ...parent })
      }
      return saveMerged(sent, {
        ...fields,
        read: async () => {
          const [found, etag] = await readSite(site_guid)
          const now = found.blocks?.find(({ block_id }) => block_id === block.block_id)
          if (!now) throw new ApiError(404, 'NOT_FOUND', '', [], 'sites')
          return [draftOf(now), etag]
        },
        send: (changes, headers) => changeBlock(site_guid, block.block_id, bodyOfDraft(type, changes), headers),
      })
    },
    onSuccess: () => refreshSites(client, group_guid),
  })
  const merged = useMergedSave({ fields, edit, keep, mutation: save, onSaved })
  const [tried, setTried] = useState(false)
  const isScheduled = isScheduleRight(draft.schedule_start, draft.schedule_end)
  const isDrawn = isScheduled && isComplete(type, draft)
  const drawn = useMemo(() => {
    const body = block ? bodyOfDraft(type, fields.changesOf(before, draft)) : newBodyOf(type, draft)
    const id = block ? { block_id: block.block_id } : container !== undefined && { parent: container }
    return isDrawn ? { block: { type, ...id, ...body } } : undefined
  }, [block, before, draft, type, container, isDrawn])
  /** On its way: Publish waits for it, as the block would be added twice. */
  const sending = useRef<Promise<boolean>>(undefined)
  const send = async () => {
    setTried(true)
    if (!isScheduled) return false
    sending.current ??= merged.save().finally(() => {
      sending.current = undefined
    })
    return sending.current
  }
  useTyped('block', onTyped, { drawn, isChanged: isOther(before, draft), save: send })
  const errors = fieldErrors(save.error, [])
  return (
    <Form onSubmit={() => void send()} aria-label={words.types[type]}>
      <BlockFields
        site={site}
        type={type}
        draft={draft}
        link={block?.content.link_info}
        onChange={(part) => keep((now) => ({ ...now, draft: { ...now.draft, ...part } }))}
      />
      <ScheduleFields
        draft={draft}
        onChange={(part) => keep((now) => ({ ...now, draft: { ...now.draft, ...part } }))}
        error={tried && !isScheduled ? words.scheduleWrong : undefined}
      />
      {merged.conflicts && (
        <Conflicts
          {...merged.conflicts}
          labelOf={(field) => words.fields[field]}
          textOf={(field, state) => textOf(state[field])}
        />
      )}
      <FormEnd
        error={merged.error && errors.other && merged.error}
        isBusy={save.isPending}
        action={block ? words.saveDraft : words.addAction}
        onClose={onClose}
      />
    </Form>
  )
}

function textOf(value: BlockDraft[keyof BlockDraft]): string | boolean {
  if (typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map((contact) => contact.value).join(', ')
  return Object.values(value)
    .filter((each) => typeof each === 'string')
    .join(', ')
}
