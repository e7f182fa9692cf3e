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
      splitChars={[',', ' ', '،', '、', '，', '\u3000']}
      error={wrong === undefined ? error : texts.tags.invalid(wrong)}
      {...props}
    />
  )
}

export function wordsIn(typed: string): string[] {
  return typed.split(/[\s,،、，]+/).filter(Boolean)
}

/** As the API has them: letters, marks and digits of any script. */
export function isTag(text: string): boolean {
  return /^[\p{L}\p{Nd}_-][\p{L}\p{M}\p{Nd}_-]{0,48}$/u.test(text.normalize('NFC'))
}
