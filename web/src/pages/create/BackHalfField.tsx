/** Domain and back-half, with a word on whether it is free while one types. The final word has the API, on saving. */
import { Loader, Select, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { Check, X } from 'lucide-react'
import { texts } from '../../texts/texts.js'
import styles from './LinkForm.module.css'
import { type Availability, useAvailability, useDomains } from './queries.js'

interface BackHalfFieldProps {
  readonly group: string
  readonly domain: string
  readonly keyword: string
  readonly onDomain: (domain: string) => void
  readonly onKeyword: (keyword: string) => void
  readonly domainError: string | undefined
  /** What the API said on saving. */
  readonly keywordError: string | undefined
}

export function BackHalfField(props: BackHalfFieldProps) {
  const { group, domain, keyword, onDomain, onKeyword, domainError, keywordError } = props
  const domains = useDomains(group)
  const [asked] = useDebouncedValue(keyword.trim(), 250)
  const { data: found } = useAvailability(group, domain, asked)
  const current = found?.keyword === keyword.trim() ? found : undefined
  const problem = keywordError ?? reasonNotFree(current)
  return (
    <div className={styles.address}>
      <Select
        label={texts.create.domain}
        data={[...domains]}
        value={domain}
        onChange={(chosen) => chosen && onDomain(chosen)}
        error={domainError}
        allowDeselect={false}
        disabled={domains.length < 2}
      />
      <span className={styles.slash} aria-hidden="true">
        /
      </span>
      <TextInput
        label={texts.create.backHalf}
        description={
          <span role="status" className={current?.available ? styles.free : undefined}>
            {current?.available ? texts.create.free(`${current.domain}/${current.keyword}`) : texts.create.backHalfHint}
          </span>
        }
        inputWrapperOrder={['label', 'input', 'error', 'description']}
        placeholder={texts.create.random}
        rightSection={keyword.trim() !== '' && <Mark isFree={problem ? false : current?.available} />}
        value={keyword}
        onChange={({ currentTarget }) => onKeyword(currentTarget.value)}
        error={problem}
        autoComplete="off"
        spellCheck={false}
        maxLength={50}
      />
    </div>
  )
}

function Mark({ isFree }: { readonly isFree: boolean | undefined }) {
  if (isFree === undefined) return <Loader size={14} />
  return isFree ? <Check size={16} className={styles.free} aria-hidden="true" /> : <X size={16} aria-hidden="true" />
}

function reasonNotFree(found: Availability | undefined): string | undefined {
  if (!found?.reason) return undefined
  const { reasons } = texts.create
  return reasons[found.reason](`${found.domain}/${found.keyword}`)
}
