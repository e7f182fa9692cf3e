/** Where a block leads: a short link that the group has, found by typing, or a URL, for which a short link is made. */
import { Button, Input, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Link2, X } from 'lucide-react'
import { api, ask } from '../../api/client.js'
import { siteTexts as words } from '../../texts/sites.js'
import { shownAddress } from '../link/queries.js'
import type { BlockDraft } from './block-draft.js'
import type { Block } from './model.js'
import styles from './sites.module.css'

interface LinkFieldProps {
  readonly group: string
  readonly draft: BlockDraft
  readonly link: Block['content']['link_info'] | undefined
  readonly isRequired: boolean
  readonly onChange: (part: Partial<BlockDraft>) => void
}

export function LinkField({ group, draft, link, isRequired, onChange }: LinkFieldProps) {
  const { shortlink_id, url } = draft
  const [asked] = useDebouncedValue(url.trim(), 250)
  const isAsked = shortlink_id === '' && asked.length > 1 && !/^[a-z]+:/i.test(asked)
  const { data: found = [] } = useQuery({
    queryKey: ['groups', group, 'shortlinks', 'for-site', asked],
    queryFn: async () => {
      const params = { path: { group_guid: group }, query: { query: asked, size: 5 } }
      return (await ask(api.GET('/v4/groups/{group_guid}/shortlinks', { params }))).links
    },
    enabled: isAsked,
    staleTime: 10_000,
  })
  if (shortlink_id !== '') {
    return (
      <Input.Wrapper
        label={words.fields.shortlink_id}
        labelElement="div"
        {...(link?.is_deleted && { error: words.broken })}
      >
        <div className={styles.link}>
          <Link2 size={16} aria-hidden="true" />
          <span className={styles.linkText}>
            {shortlink_id}
            {link?.long_url && <span className={styles.linkTo}>{link.long_url}</span>}
          </span>
          <Button
            variant="subtle"
            size="compact-sm"
            leftSection={<X size={14} />}
            onClick={() => onChange({ shortlink_id: '', url: '' })}
          >
            {words.otherLink}
          </Button>
        </div>
      </Input.Wrapper>
    )
  }
  return (
    <div>
      <TextInput
        label={words.fields.shortlink_id}
        description={words.linkHint}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        placeholder={words.linkPlaceholder}
        value={url}
        onChange={({ currentTarget }) => onChange({ url: currentTarget.value })}
        inputMode="url"
        autoComplete="off"
        maxLength={2048}
        required={isRequired}
      />
      {isAsked && found.length > 0 && (
        <ul className={styles.found} aria-label={words.foundLinks}>
          {found.map((each) => (
            <li key={each.id}>
              <button
                type="button"
                className={styles.foundLink}
                onClick={() =>
                  onChange({
                    shortlink_id: each.id,
                    url: '',
                    ...(draft.link_title === '' && each.title && { link_title: each.title }),
                  })
                }
              >
                <span>{each.title || shownAddress(each)}</span>
                <span className={styles.linkTo}>{each.long_url}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
