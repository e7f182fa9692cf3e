/** How to reach the person of a business card. */
import { Button, Input, Select, TextInput } from '@mantine/core'
import { Plus, X } from 'lucide-react'
import icon from '../../parts/IconButton.module.css'
import { siteTexts as words } from '../../texts/sites.js'
import { texts } from '../../texts/texts.js'
import type { Contact } from './model.js'
import styles from './sites.module.css'

const methods = ['email', 'phone', 'website', 'location', 'note'] as const

interface ContactFieldsProps {
  readonly contacts: readonly Contact[]
  readonly onChange: (contacts: readonly Contact[]) => void
}

export function ContactFields({ contacts, onChange }: ContactFieldsProps) {
  const change = (at: number, part: Partial<Contact>) =>
    onChange(contacts.map((contact, index) => (index === at ? { ...contact, ...part } : contact)))
  return (
    <Input.Wrapper label={words.fields.contacts} labelElement="div">
      {contacts.map((contact, at) => (
        <div key={at} className={styles.contact}>
          <Select
            aria-label={words.contactKind(at + 1)}
            data={methods.map((value) => ({ value, label: words.contactMethods[value] }))}
            value={contact.contact_method}
            onChange={(method) => method && change(at, { contact_method: method as Contact['contact_method'] })}
            allowDeselect={false}
          />
          <TextInput
            aria-label={words.contactValue(at + 1)}
            value={contact.value}
            // Another website is another link.
            onChange={({ currentTarget }) =>
              change(at, { value: currentTarget.value, shortlink_id: undefined } as Partial<Contact>)
            }
            required
          />
          <button
            type="button"
            className={icon.button}
            aria-label={words.removeContact(at + 1)}
            title={texts.common.remove}
            onClick={() => onChange(contacts.filter((_, index) => index !== at))}
          >
            <X size={16} />
          </button>
        </div>
      ))}
      <Button
        variant="default"
        size="compact-sm"
        leftSection={<Plus size={14} />}
        disabled={contacts.length >= 30}
        onClick={() => onChange([...contacts, { contact_method: 'email', value: '', sort_order: contacts.length }])}
      >
        {words.addContact}
      </Button>
    </Input.Wrapper>
  )
}
