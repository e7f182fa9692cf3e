/** The top of a page: name, a few words, and a picture. */
import { Textarea, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { api, ask } from '../../api/client.js'
import { isOther } from '../../api/is-other.js'
import { type Edit, ownFields, saveMerged, tagged } from '../../api/save-merged.js'
import { Card } from '../../parts/Card.js'
import { Form } from '../../parts/Form.js'
import { Conflicts, useMergedSave } from '../../parts/merged-save.js'
import { showDone } from '../../parts/toasts.js'
import { siteTexts as words } from '../../texts/sites.js'
import { texts } from '../../texts/texts.js'
import { ImageField } from './ImageField.js'
import { type Site, withAvatar } from './model.js'
import { readSite, refreshSites } from './queries.js'
import { SaveBar } from './SaveBar.js'
import styles from './sites.module.css'
import { type OnTyped, useTyped } from './typed.js'

interface Profile {
  readonly name: string
  readonly description: string
  /** Guid of an image, or empty. */
  readonly avatar: string
}

const fields = ownFields<Profile>()

interface ProfileCardProps {
  readonly site: Site
  readonly mayWrite: boolean
  readonly onTyped: OnTyped
}

export function ProfileCard({ site, mayWrite, onTyped }: ProfileCardProps) {
  const client = useQueryClient()
  const saved = profileOf(site)
  const [edit, keep] = useState<Edit<Profile>>({ before: saved, draft: saved })
  const isChanged = isOther(edit.before, edit.draft)
  // What others changed is shown while nothing is typed here.
  if (!isChanged && isOther(edit.before, saved)) keep({ before: saved, draft: saved })
  const { draft } = edit
  const params = { path: { site_id: site.site_guid } }
  const save = useMutation({
    mutationFn: (sent: Edit<Profile>) => {
      let appearance = site.appearance
      return saveMerged(sent, {
        ...fields,
        read: async () => {
          const [found, etag] = await readSite(site.site_guid)
          appearance = found.appearance
          return [profileOf(found), etag]
        },
        send: async ({ name, description, avatar }, headers) => {
          let condition = headers
          if (avatar !== undefined) {
            const body = withAvatar(appearance, avatar)
            const [, etag] = await tagged(api.PUT('/v4/sites/{site_id}/appearance', { params, body, headers }))
            // The second change is of what the first one made.
            if (headers['if-match'] && etag) condition = { 'if-match': etag }
          }
          if (name === undefined && description === undefined) return
          const body = {
            ...(name !== undefined && { display_name: name.trim() }),
            ...(description !== undefined && { description: description.trim() }),
          }
          await ask(api.PATCH('/v4/sites/{site_id}', { params, body, headers: condition }))
        },
      })
    },
    onSuccess: async () => {
      await refreshSites(client, site.group_guid)
      showDone(texts.common.saved)
    },
  })
  const merged = useMergedSave({
    fields,
    edit: { ...edit, draft: { ...draft, name: draft.name.trim(), description: draft.description.trim() } },
    keep,
    mutation: save,
    onSaved: () => keep((now) => ({ before: draft, draft: now.draft })),
  })
  const drawn = useMemo(
    () =>
      isChanged
        ? {
            display_name: draft.name,
            description: draft.description,
            ...(draft.avatar !== saved.avatar && { avatar: draft.avatar }),
          }
        : undefined,
    [isChanged, draft, saved.avatar],
  )
  useTyped('profile', onTyped, { drawn, isChanged, save: merged.save })
  const change = (part: Partial<Profile>) => keep((now) => ({ ...now, draft: { ...now.draft, ...part } }))
  return (
    <Card title={words.profile}>
      <Form onSubmit={merged.save}>
        <div className={styles.profile}>
          <ImageField
            group={site.group_guid}
            label={words.avatar}
            value={draft.avatar}
            disabled={!mayWrite}
            onChange={(avatar) => change({ avatar })}
          />
          <div className={styles.fields}>
            <TextInput
              label={words.name}
              value={draft.name}
              onChange={({ currentTarget }) => change({ name: currentTarget.value })}
              maxLength={255}
              readOnly={!mayWrite}
            />
            <Textarea
              label={words.description}
              value={draft.description}
              onChange={({ currentTarget }) => change({ description: currentTarget.value })}
              maxLength={2000}
              autosize
              minRows={2}
              maxRows={6}
              readOnly={!mayWrite}
            />
          </div>
        </div>
        {merged.conflicts && (
          <Conflicts
            {...merged.conflicts}
            labelOf={(field) => words.profileFields[field]}
            textOf={(field, state) => (field === 'avatar' ? Boolean(state.avatar) : state[field])}
          />
        )}
        <SaveBar
          isShown={isChanged}
          error={merged.error}
          isBusy={save.isPending}
          onDiscard={() => keep({ before: saved, draft: saved })}
        />
      </Form>
    </Card>
  )
}

function profileOf({ content, appearance }: Site): Profile {
  const { display_name: name, description } = content
  return { name, description, avatar: appearance.avatar_image_guid ?? '' }
}
