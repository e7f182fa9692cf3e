/** The logo in the middle of a QR code: a new file, or an image that the group has already. */
import { Button, FileButton, Input } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Ban, Upload } from 'lucide-react'
import { useId, useRef } from 'react'
import { api, ask } from '../../api/client.js'
import { errorText } from '../../parts/Problem.js'
import { texts } from '../../texts/texts.js'
import styles from './LogoField.module.css'

interface LogoFieldProps {
  readonly group: string
  /** The guid of the image. */
  readonly value: string | undefined
  readonly onChange: (image: string | undefined) => void
}

export function LogoField({ group, value, onChange }: LogoFieldProps) {
  const label = useId()
  const forgetFile = useRef<() => void>(null)
  const client = useQueryClient()
  const images = useQuery({ queryKey: ['groups', group, 'images'], queryFn: () => newestImages(group) })
  const upload = useMutation({
    mutationFn: (file: File) => uploadImage(group, file),
    onSuccess: async ({ guid }) => {
      onChange(guid)
      await client.invalidateQueries({ queryKey: ['groups', group, 'images'] })
    },
    // So that the same file can be chosen again.
    onSettled: () => forgetFile.current?.(),
  })
  const choose = (image: string | undefined) => {
    upload.reset()
    onChange(image)
  }
  const problem = upload.error ?? images.error
  const { qrCodes } = texts
  return (
    <Input.Wrapper
      label={qrCodes.logo}
      labelElement="div"
      labelProps={{ id: label }}
      description={qrCodes.logoHint}
      error={problem && <span role="alert">{errorText(problem)}</span>}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend, and the label is above. */}
      <div role="group" aria-labelledby={label} className={styles.field}>
        <FileButton accept={acceptedTypes} onChange={(file) => file && upload.mutate(file)} resetRef={forgetFile}>
          {({ onClick }) => (
            <Button variant="default" leftSection={<Upload size={16} />} loading={upload.isPending} onClick={onClick}>
              {qrCodes.uploadLogo}
            </Button>
          )}
        </FileButton>
        <button
          type="button"
          className={styles.choice}
          aria-pressed={value === undefined}
          aria-label={qrCodes.noLogo}
          title={qrCodes.noLogo}
          onClick={() => choose(undefined)}
        >
          <Ban size={18} />
        </button>
        {images.data?.map(({ guid, name }) => (
          <button
            key={guid}
            type="button"
            className={styles.choice}
            aria-pressed={value === guid}
            aria-label={name || qrCodes.unnamedImage}
            title={name || qrCodes.unnamedImage}
            onClick={() => choose(guid)}
          >
            <img src={imageFile(guid)} alt="" loading="lazy" />
          </button>
        ))}
      </div>
    </Input.Wrapper>
  )
}

/** On the host of the dashboard: its policy allows no other. */
export function imageFile(guid: string): string {
  return `/v4/images/${guid}/file`
}

const acceptedTypes = 'image/png,image/jpeg,image/webp,image/svg+xml'
const maxNameLength = 255

async function newestImages(group_guid: string) {
  const params = { path: { group_guid }, query: { size: 100 } }
  return (await ask(api.GET('/v4/groups/{group_guid}/images', { params }))).images
}

function uploadImage(group_guid: string, file: File) {
  const form = new FormData()
  form.set('group_guid', group_guid)
  form.set('name', file.name.slice(0, maxNameLength))
  form.set('file', file)
  // The generated type of a file is a text; what is sent is the form.
  return ask(api.POST('/v4/images', { body: { file: file.name }, bodySerializer: () => form }))
}
