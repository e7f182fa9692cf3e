import { TextInput } from '@mantine/core'
import { useDebouncedCallback, useDidUpdate } from '@mantine/hooks'
import { Search } from 'lucide-react'
import { type RefObject, useRef, useState } from 'react'

interface SearchFieldProps {
  readonly label: string
  /** With it, the label is above the field. */
  readonly hint?: string
  /** What is searched for already. */
  readonly value: string | undefined
  /** Undefined: for everything. */
  readonly onSearch: (words: string | undefined) => void
  readonly className?: string | undefined
  readonly field?: RefObject<HTMLInputElement | null>
}

/** Searches while one types, with a pause so that not every letter asks the API. */
export function SearchField({ label, hint, value, onSearch, className, field }: SearchFieldProps) {
  const [text, setText] = useState(value ?? '')
  const sent = useRef(value)
  const send = useDebouncedCallback((typed: string, place: string) => {
    // Somebody who went on to another page while it loads must not be taken back.
    if (location.pathname !== place) return
    sent.current = typed.trim() || undefined
    onSearch(sent.current)
  }, 300)
  // When somebody else changes the search, such as Back or a button; one's own words may have grown meanwhile.
  useDidUpdate(() => {
    if (value !== sent.current) setText(value ?? '')
    sent.current = value
  }, [value])
  return (
    <TextInput
      {...(field && { ref: field })}
      className={className}
      leftSection={<Search size={16} />}
      {...(hint ? { label, placeholder: hint } : { placeholder: label, 'aria-label': label })}
      type="search"
      value={text}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value)
        send(currentTarget.value, location.pathname)
      }}
    />
  )
}
