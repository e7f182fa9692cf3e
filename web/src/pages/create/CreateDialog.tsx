/**
 * Makes a link. The destination is enough: paste it and press Enter. After that the link is on the clipboard.
 */
import { Button, Group, Modal, Select, TagsInput, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { ApiError, api, ask } from '../../api/client.js'
import { copyText } from '../../parts/copy-text.js'
import { errorText } from '../../parts/Problem.js'
import { showDone } from '../../parts/toasts.js'
import { withScheme } from '../../parts/with-scheme.js'
import type { CreateRequest } from '../../shell/create-link.js'
import { useGroup, useGroupGuid } from '../../shell/current-group.js'
import { texts } from '../../texts/texts.js'
import { tagsQuery } from '../links/queries.js'
import styles from './CreateDialog.module.css'

interface CreateDialogProps {
  readonly request: CreateRequest
  readonly onClose: () => void
}

export function CreateDialog({ request, onClose }: CreateDialogProps) {
  const group_guid = useGroupGuid()
  const domains = useGroup()?.bsds ?? []
  const { data: knownTags = [] } = useQuery(tagsQuery(group_guid))
  const [longUrl, setLongUrl] = useState(request.longUrl ?? '')
  const [domain, setDomain] = useState<string | null>(null)
  const [keyword, setKeyword] = useState('')
  const [title, setTitle] = useState('')
  const [tags, setTags] = useState<string[]>([])
  const client = useQueryClient()
  const navigate = useNavigate()

  const create = useMutation({
    mutationFn: () => {
      const body = {
        long_url: withScheme(longUrl),
        group_guid,
        ...(domain && { domain }),
        ...(keyword.trim() && { keyword: keyword.trim() }),
        ...(title.trim() && { title: title.trim() }),
        ...(tags.length > 0 && { tags }),
      }
      return ask(api.POST('/v4/shortlinks', { body }))
    },
    onSuccess: async (link) => {
      const made = link.custom_shortlinks[0] ?? link.link
      const isCopied = await copyText(made)
      showDone(isCopied ? texts.create.madeAndCopied(made) : texts.create.made(made))
      onClose()
      await client.invalidateQueries({ queryKey: ['groups', group_guid] })
      await navigate({ to: '/$group/links', params: { group: group_guid } })
    },
  })
  const fieldError = (name: string) => {
    const { error } = create
    return error instanceof ApiError && error.fields.some(({ field }) => field === name) ? errorText(error) : undefined
  }
  const otherError = create.error && !hasFields(create.error) ? errorText(create.error) : undefined
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate()
  }

  return (
    <Modal opened onClose={onClose} title={texts.shell.createLink} size="lg">
      <form onSubmit={submit} className={styles.form}>
        <TextInput
          label={texts.create.destination}
          placeholder="https://example.com/a/very/long/page"
          value={longUrl}
          onChange={({ currentTarget }) => setLongUrl(currentTarget.value)}
          error={fieldError('long_url')}
          inputMode="url"
          autoComplete="off"
          required
          data-autofocus
        />
        <div className={styles.address}>
          {domains.length > 0 && (
            <Select
              label={texts.create.domain}
              data={[...domains]}
              value={domain}
              onChange={setDomain}
              placeholder={texts.create.preferredDomain}
              error={fieldError('domain')}
              clearable
            />
          )}
          <TextInput
            label={texts.create.backHalf}
            description={texts.create.backHalfHint}
            value={keyword}
            onChange={({ currentTarget }) => setKeyword(currentTarget.value)}
            error={fieldError('keyword')}
            autoComplete="off"
          />
        </div>
        <TextInput
          label={texts.create.title}
          description={texts.create.titleHint}
          value={title}
          onChange={({ currentTarget }) => setTitle(currentTarget.value)}
          error={fieldError('title')}
          autoComplete="off"
        />
        <TagsInput
          label={texts.links.filters.tags}
          data={[...knownTags]}
          value={tags}
          onChange={setTags}
          error={fieldError('tags')}
        />
        {otherError && (
          <p role="alert" className={styles.problem}>
            {otherError}
          </p>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {texts.common.cancel}
          </Button>
          <Button type="submit" loading={create.isPending}>
            {texts.create.submit}
          </Button>
        </Group>
      </form>
    </Modal>
  )
}

function hasFields(error: Error): boolean {
  return error instanceof ApiError && error.fields.length > 0
}
