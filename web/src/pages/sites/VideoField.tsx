/** The URL of a video. The service says whether it is one as soon as the field is left. */
import { TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ask } from '../../api/client.js'
import { errorText } from '../../parts/Problem.js'
import { withScheme } from '../../parts/with-scheme.js'
import { siteTexts as words } from '../../texts/sites.js'
import type { Site } from './model.js'

interface VideoFieldProps {
  readonly site: Site
  readonly value: string
  readonly onChange: (url: string) => void
}

export function VideoField({ site: { site_guid: site_id }, value, onChange }: VideoFieldProps) {
  const [left, setLeft] = useState('')
  const { error } = useQuery({
    queryKey: ['site-video', site_id, left],
    queryFn: () => {
      const body = { video_id: withScheme(left) }
      const params = { path: { site_id } }
      return ask(api.POST('/v4/sites/{site_id}/buttons/youtubeVideo/prevalidate', { params, body }))
    },
    enabled: left !== '',
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (
    <TextInput
      label={words.fields.video_url}
      placeholder="https://www.youtube.com/watch?v=…"
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      onBlur={() => setLeft(value.trim())}
      error={error && left === value.trim() && errorText(error)}
      inputMode="url"
      maxLength={2048}
      required
    />
  )
}
