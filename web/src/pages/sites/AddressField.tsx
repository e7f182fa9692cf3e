/** Where a page is: a domain, and the path on it. */
import { Select, TextInput } from '@mantine/core'
import { siteTexts as words } from '../../texts/sites.js'
import { texts } from '../../texts/texts.js'
import { useDomains } from '../create/queries.js'
import styles from './sites.module.css'

export interface SiteAddress {
  /** Empty: the preferred one, whether it is known yet or not. */
  readonly domain: string
  /** Such as `m/ada`; on a branded domain any, or none. */
  readonly path: string
}

export function addressIn(url: string): SiteAddress {
  const [domain = '', ...path] = url.replace(/^https?:\/\//, '').split('/')
  return { domain, path: path.join('/') }
}

interface AddressFieldProps {
  readonly group: string
  readonly address: SiteAddress
  readonly onChange: (address: SiteAddress) => void
  /** What the API said. */
  readonly error: string | undefined
}

export function AddressField({ group, address, onChange, error }: AddressFieldProps) {
  const domains = useDomains(group)
  const domain = address.domain || (domains[0] ?? '')
  return (
    <div className={styles.address}>
      {domains.length > 1 && (
        <Select
          label={texts.create.domain}
          data={[...domains]}
          value={domain}
          onChange={(chosen) => chosen && onChange({ ...address, domain: chosen })}
          allowDeselect={false}
        />
      )}
      <span className={styles.slash} aria-hidden={domains.length > 1}>
        {domains.length > 1 ? '/' : `${domain}/`}
      </span>
      <TextInput
        label={words.path}
        description={words.pathHint}
        inputWrapperOrder={['label', 'input', 'error', 'description']}
        value={address.path}
        onChange={({ currentTarget }) => onChange({ ...address, path: currentTarget.value.trim() })}
        error={error}
        autoComplete="off"
        spellCheck={false}
        maxLength={100}
      />
    </div>
  )
}
