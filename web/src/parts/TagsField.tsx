import { TagsInput, type TagsInputProps } from '@mantine/core'
import { texts } from '../texts/texts.js'

interface TagsFieldProps extends Omit<TagsInputProps, 'value' | 'searchValue' | 'onSearchChange' | 'error'> {
  readonly value: string[]
  /** The word that is being typed. */
  readonly typed: string
  readonly onTyped: (typed: string) => void
  /** What the API said on saving. */
  readonly error?: string | undefined
}

/** Tags, checked while one types. The final word has the API, on saving. */
export function TagsField({ value, typed, onTyped, error, ...props }: TagsFieldProps) {
  const wrong = [...value, ...wordsIn(typed)].find((tag) => !isTag(tag))
  return (
    <TagsInput
      value={value}
      searchValue={typed}
      onSearchChange={onTyped}
      splitChars={[',', ' ']}
      error={wrong === undefined ? error : texts.tags.invalid(wrong)}
      {...props}
    />
  )
}

export function wordsIn(typed: string): string[] {
  return typed.split(/[\s,]+/).filter(Boolean)
}

/** As the API has them. */
export function isTag(text: string): boolean {
  return /^[A-Za-z0-9_-]{1,49}$/.test(text)
}
