/** One image: a new file, or one that the group has. */
import { Button, FileButton, Input, Popover } from '@mantine/core'
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { ImagePlus, Trash2, Upload } from 'lucide-react'
import { useId, useRef, useState } from 'react'
import { acceptedTypes, imageFile, imagesQuery, uploadImage } from '../../api/images.js'
import { errorText } from '../../parts/Problem.js'
import { More } from '../../parts/Rows.js'
import { siteTexts as words } from '../../texts/sites.js'
import styles from './ImageField.module.css'

interface ImageFieldProps {
  readonly group: string
  readonly label: string
  /** The guid of the image; empty for none. */
  readonly value: string
  readonly onChange: (image: string) => void
  readonly disabled?: boolean
  readonly isWide?: boolean
}

export function ImageField({ group, label, value, onChange, disabled = false, isWide = false }: ImageFieldProps) {
  const id = useId()
  const client = useQueryClient()
  const forgetFile = useRef<() => void>(null)
  const [isOpen, setOpen] = useState(false)
  const images = useInfiniteQuery({ ...imagesQuery(group), enabled: isOpen })
  const choose = (image: string) => {
    setOpen(false)
    onChange(image)
  }
  const upload = useMutation({
    mutationFn: (file: File) => uploadImage(group, file),
    onSuccess: async ({ guid }) => {
      choose(guid)
      await client.invalidateQueries({ queryKey: imagesQuery(group).queryKey })
    },
    // So that the same file can be chosen again.
    onSettled: () => forgetFile.current?.(),
  })
  return (
    <Input.Wrapper
      label={label}
      labelElement="div"
      labelProps={{ id }}
      error={upload.error && <span role="alert">{errorText(upload.error)}</span>}
    >
      <Popover opened={isOpen} onChange={setOpen} position="bottom-start" width={300} trapFocus>
        <Popover.Target>
          <button
            type="button"
            className={styles.field}
            data-wide={isWide || undefined}
            aria-label={`${label}: ${value ? words.changeImage : words.noImage}`}
            disabled={disabled}
            onClick={() => setOpen(!isOpen)}
          >
            {value ? <img src={imageFile(value)} alt="" /> : <ImagePlus size={22} aria-hidden="true" />}
          </button>
        </Popover.Target>
        <Popover.Dropdown>
          <div className={styles.choices}>
            <FileButton accept={acceptedTypes} onChange={(file) => file && upload.mutate(file)} resetRef={forgetFile}>
              {({ onClick }) => (
                <Button
                  variant="default"
                  leftSection={<Upload size={16} />}
                  loading={upload.isPending}
                  onClick={onClick}
                >
                  {words.uploadImage}
                </Button>
              )}
            </FileButton>
            {value && (
              <Button variant="subtle" color="red" leftSection={<Trash2 size={16} />} onClick={() => choose('')}>
                {words.removeImage}
              </Button>
            )}
            <div className={styles.images}>
              {images.data?.pages
                .flatMap((each) => each.images)
                .map(({ guid, name }) => (
                  <button
                    key={guid}
                    type="button"
                    className={styles.image}
                    aria-pressed={guid === value}
                    aria-label={name || words.unnamedImage}
                    title={name}
                    onClick={() => choose(guid)}
                  >
                    <img src={imageFile(guid)} alt="" loading="lazy" />
                  </button>
                ))}
            </div>
            <More query={images} />
          </div>
        </Popover.Dropdown>
      </Popover>
    </Input.Wrapper>
  )
}
