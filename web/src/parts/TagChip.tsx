import { useQuery } from '@tanstack/react-query'
import { tagsQuery } from '../api/queries.js'
import { useGroupGuid } from '../shell/current-group.js'
import styles from './TagChip.module.css'

/** A tag with its color. */
export function TagChip({ tag }: { readonly tag: string }) {
  const { data: color } = useQuery({
    ...tagsQuery(useGroupGuid()),
    select: (tags) => tags.find(({ name }) => name === tag)?.color,
  })
  return (
    <span className={styles.chip} data-tag-color={color ?? 'gray'} title={tag}>
      <span className={styles.name} dir="auto">
        {tag}
      </span>
    </span>
  )
}
