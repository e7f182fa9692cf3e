/** Makes a QR code. The picture changes while one chooses; what would not scan is refused by the API, which says why. */
import { Button, ColorInput, Modal, Select, TextInput } from '@mantine/core'
import '@mantine/core/styles/ColorInput.layer.css'
import '@mantine/core/styles/ColorPicker.layer.css'
import '@mantine/core/styles/ColorSwatch.layer.css'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, ask } from '../../api/client.js'
import { errorText } from '../../parts/Problem.js'
import page from '../../parts/page.module.css'
import { showDone } from '../../parts/toasts.js'
import { withScheme } from '../../parts/with-scheme.js'
import { texts } from '../../texts/texts.js'
import { imageFile, LogoField } from './LogoField.js'
import styles from './Studio.module.css'

interface StudioProps {
  readonly group: string
  readonly onClose: () => void
}

const patterns = [
  'standard',
  'rounded',
  'circle',
  'block',
  'blob',
  'vertical',
  'horizontal',
  'triangle',
  'heart',
  'star',
  'diamond',
] as const
const shapes = [
  'standard',
  'slightly_round',
  'rounded',
  'extra_round',
  'leaf',
  'leaf_inner',
  'leaf_outer',
  'target',
  'concave',
] as const

interface Style {
  readonly dots: string
  readonly ground: string
  readonly pattern: (typeof patterns)[number]
  readonly shape: (typeof shapes)[number]
  /** The guid of an image. */
  readonly logo?: string | undefined
}

const plain: Style = { dots: '#1d222e', ground: '#ffffff', pattern: 'standard', shape: 'standard' }

export function Studio({ group, onClose }: StudioProps) {
  const [longUrl, setLongUrl] = useState('')
  const [title, setTitle] = useState('')
  const [style, setStyle] = useState(plain)
  const client = useQueryClient()
  const create = useMutation({
    mutationFn: () => {
      const body = {
        group_guid: group,
        destination: { long_url: withScheme(longUrl) },
        render_customizations: { ...wireOf(style), ...(style.logo && { logo: { image_guid: style.logo } }) },
        ...(title.trim() && { title: title.trim() }),
      }
      return ask(api.POST('/v4/qr-codes', { body }))
    },
    onSuccess: async () => {
      onClose()
      showDone(texts.qrCodes.made)
      await client.invalidateQueries({ queryKey: ['groups', group, 'qr-codes'] })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate()
  }
  const { qrCodes } = texts
  return (
    <Modal opened onClose={onClose} title={qrCodes.create} size="xl">
      <form onSubmit={submit} className={styles.studio}>
        <div className={page.form}>
          <TextInput
            label={texts.create.destination}
            placeholder="https://example.com/menu"
            value={longUrl}
            onChange={({ currentTarget }) => setLongUrl(currentTarget.value)}
            inputMode="url"
            autoComplete="off"
            required
            data-autofocus
          />
          <TextInput
            label={texts.create.title}
            value={title}
            onChange={({ currentTarget }) => setTitle(currentTarget.value)}
          />
          <div className={page.pair}>
            <ColorInput
              label={qrCodes.dots}
              value={style.dots}
              onChange={(dots) => setStyle({ ...style, dots })}
              popoverProps={{ withinPortal: false }}
              eyeDropperButtonProps={{ 'aria-label': qrCodes.pickColor }}
            />
            <ColorInput
              label={qrCodes.ground}
              value={style.ground}
              onChange={(ground) => setStyle({ ...style, ground })}
              popoverProps={{ withinPortal: false }}
              eyeDropperButtonProps={{ 'aria-label': qrCodes.pickColor }}
            />
            <Select
              label={qrCodes.pattern}
              data={patterns.map((value) => ({ value, label: qrCodes.patterns[value] }))}
              value={style.pattern}
              onChange={(pattern) => setStyle({ ...style, pattern: pattern as Style['pattern'] })}
              allowDeselect={false}
            />
            <Select
              label={qrCodes.corners}
              data={shapes.map((value) => ({ value, label: qrCodes.shapes[value] }))}
              value={style.shape}
              onChange={(shape) => setStyle({ ...style, shape: shape as Style['shape'] })}
              allowDeselect={false}
            />
          </div>
          <LogoField group={group} value={style.logo} onChange={(logo) => setStyle((now) => ({ ...now, logo }))} />
          {create.error && (
            <p role="alert" className={page.problem}>
              {errorText(create.error)}
            </p>
          )}
        </div>
        <Preview group={group} content={longUrl.trim() || 'https://example.com'} style={style} />
        <div className={styles.end}>
          <Button variant="default" onClick={onClose}>
            {texts.common.cancel}
          </Button>
          <Button type="submit" loading={create.isPending}>
            {qrCodes.create}
          </Button>
        </div>
      </form>
    </Modal>
  )
}

interface PreviewProps {
  readonly group: string
  readonly content: string
  readonly style: Style
}

/** A picture that is not kept has no logo: it is laid over the picture, in about the size that it will have. */
function Preview({ group, content, style }: PreviewProps) {
  const [shown] = useDebouncedValue({ content, style }, 150)
  const picture = useQuery({
    queryKey: ['groups', group, 'qr-preview', shown],
    queryFn: async () => {
      const body = { group_guid: group, content: shown.content, render_customizations: wireOf(shown.style) }
      return (await ask(api.POST('/v4/qr-codes/static', { body }))).image
    },
    placeholderData: keepPreviousData,
    retry: false,
  })
  return (
    <div className={styles.preview}>
      {picture.data && !picture.isError && (
        <div className={styles.code}>
          <img src={asDataUri(picture.data)} alt={texts.qrCodes.preview} />
          {style.logo && (
            <img
              className={styles.logo}
              style={{ background: style.ground }}
              src={imageFile(style.logo)}
              alt={texts.qrCodes.logo}
            />
          )}
        </div>
      )}
      {picture.isError && (
        <p role="alert" className={page.problem}>
          {errorText(picture.error)}
        </p>
      )}
    </div>
  )
}

function asDataUri(image: string): string {
  return image.startsWith('data:') ? image : `data:image/svg+xml;base64,${image}`
}

function wireOf({ dots, ground, pattern, shape, logo }: Style) {
  const corner = { shape, inner_color: dots, outer_color: dots }
  return {
    background_color: ground,
    dot_pattern_color: dots,
    dot_pattern_type: pattern,
    corners: { corner_1: corner, corner_2: corner, corner_3: corner },
    // As the API raises it for a logo.
    ...(logo && { spec_settings: { error_correction: 4 as const } }),
  }
}
