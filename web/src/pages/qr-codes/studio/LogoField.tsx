/** The logo in the middle of a QR code: a new file, or an image that the group has already. */
import { Button, FileButton, Input } from '@mantine/core'
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { Ban, Trash2, Upload } from 'lucide-react'
import { type ReactNode, useId, useRef, useState } from 'react'
import { api, ask } from '../../../api/client.js'
import { acceptedTypes, imageFile, imagesQuery, uploadImage } from '../../../api/images.js'
import { errorText } from '../../../parts/Problem.js'
import { studio } from '../../../texts/studio.js'
import { texts } from '../../../texts/texts.js'
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
  const [isDeleting, setIsDeleting] = useState(false)
  const client = useQueryClient()
  const images = useInfiniteQuery(imagesQuery(group))
  const { queryKey } = imagesQuery(group)
  const upload = useMutation({
    mutationFn: (file: File) => uploadImage(group, file),
    onSuccess: async ({ guid }) => {
      onChange(guid)
      await client.invalidateQueries({ queryKey })
    },
    // So that the same file can be chosen again.
    onSettled: () => forgetFile.current?.(),
  })
  const remove = useMutation({
    mutationFn: (image_guid: string) =>
      ask(api.DELETE('/v4/images/{image_guid}', { params: { path: { image_guid } } })),
    onSuccess: async () => {
      onChange(undefined)
      await client.invalidateQueries({ queryKey })
    },
    onSettled: () => setIsDeleting(false),
  })
  const choose = (image: string | undefined) => {
    upload.reset()
    remove.reset()
    setIsDeleting(false)
    onChange(image)
  }
  const shown = images.data?.pages.flatMap((page) => page.images) ?? []
  const chosen = shown.find(({ guid }) => guid === value)
  const nameOf = ({ name }: { readonly name: string }) => name || studio.unnamedImage
  const problem = upload.error ?? remove.error ?? images.error
  return (
    <Input.Wrapper
      label={studio.logo}
      labelElement="div"
      labelProps={{ id: label }}
      description={studio.logoHint}
      error={problem && <span role="alert">{errorText(problem)}</span>}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend, and the label is above. */}
      <div role="group" aria-labelledby={label} className={styles.field}>
        <FileButton accept={acceptedTypes} onChange={(file) => file && upload.mutate(file)} resetRef={forgetFile}>
          {({ onClick }) => (
            <Button variant="default" leftSection={<Upload size={16} />} loading={upload.isPending} onClick={onClick}>
              {studio.uploadLogo}
            </Button>
          )}
        </FileButton>
        <Choice name={studio.noLogo} isChosen={value === undefined} onChoose={() => choose(undefined)}>
          <Ban size={18} />
        </Choice>
        {/* One that is used but not on the pages that are shown. */}
        {value !== undefined && !chosen && !images.isPending && (
          <Choice name={studio.chosenLogo} isChosen onChoose={() => {}}>
            <img src={imageFile(value)} alt="" />
          </Choice>
        )}
        {shown.map((image) => (
          <Choice
            key={image.guid}
            name={nameOf(image)}
            isChosen={value === image.guid}
            onChoose={() => choose(image.guid)}
          >
            <img src={imageFile(image.guid)} alt="" loading="lazy" />
          </Choice>
        ))}
        {images.hasNextPage && (
          <Button
            variant="subtle"
            size="compact-sm"
            loading={images.isFetchingNextPage}
            onClick={() => void images.fetchNextPage()}
          >
            {studio.moreImages}
          </Button>
        )}
      </div>
      {chosen && !isDeleting && (
        <Button
          variant="subtle"
          size="compact-sm"
          color="red"
          leftSection={<Trash2 size={14} />}
          onClick={() => setIsDeleting(true)}
        >
          {studio.deleteImage}
        </Button>
      )}
      {chosen && isDeleting && (
        <div className={styles.confirm}>
          <span role="status">{studio.deleteImageHint(nameOf(chosen))}</span>
          <Button
            size="compact-sm"
            variant="subtle"
            color="red"
            loading={remove.isPending}
            onClick={() => remove.mutate(chosen.guid)}
          >
            {texts.common.delete}
          </Button>
          <Button size="compact-sm" variant="default" onClick={() => setIsDeleting(false)}>
            {studio.keepImage}
          </Button>
        </div>
      )}
    </Input.Wrapper>
  )
}

interface ChoiceProps {
  readonly name: string
  readonly isChosen: boolean
  readonly onChoose: () => void
  readonly children: ReactNode
}

function Choice({ name, isChosen, onChoose, children }: ChoiceProps) {
  return (
    <button
      type="button"
      className={styles.choice}
      aria-pressed={isChosen}
      aria-label={name}
      title={name}
      onClick={onChoose}
    >
      {children}
    </button>
  )
}
