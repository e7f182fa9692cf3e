import { Checkbox, Select } from '@mantine/core'
import page from '../../parts/page.module.css'
import { siteTexts as words } from '../../texts/sites.js'
import { ColorField } from '../qr-codes/studio/ColorField.js'
import { Contrast } from './ColorFields.js'
import type { Appearance, TextLook } from './model.js'
import styles from './sites.module.css'
import { colorsOf, groundsOf } from './themes.js'

interface TextLookFieldsProps {
  /** The look of the page, whose colours a text has without its own. */
  readonly page: Appearance
  readonly look: TextLook
  readonly onChange: (look: TextLook) => void
}

const alignments = ['left', 'center', 'right', 'justified'] as const
const sizes = ['small', 'medium', 'large', 'extra_large'] as const
const marks = ['bold', 'italic', 'underline'] as const

/** How a text looks on the page. */
export function TextLookFields({ page: appearance, look, onChange }: TextLookFieldsProps) {
  const style = look.text_block_style ?? {}
  const ofPage = colorsOf(appearance)
  const grounds = look.background_color ? [look.background_color] : groundsOf(ofPage)
  const color = (name: 'text_color' | 'background_color') => (
    <ColorField
      label={words.textColors[name]}
      placeholder={words.asPage}
      value={look[name]}
      onChange={(value) => onChange({ ...look, [name]: value })}
    />
  )
  return (
    <>
      <div className={page.pair}>
        <Select
          label={words.alignment}
          data={alignments.map((value) => ({ value, label: words.choices[value] ?? value }))}
          value={look.alignment ?? 'left'}
          onChange={(alignment) => onChange({ ...look, alignment: alignment as (typeof alignments)[number] })}
          allowDeselect={false}
        />
        <Select
          label={words.fontSize}
          data={sizes.map((value) => ({ value, label: words.choices[value] ?? value }))}
          value={look.font_size ?? 'medium'}
          onChange={(font_size) => onChange({ ...look, font_size: font_size as (typeof sizes)[number] })}
          allowDeselect={false}
        />
      </div>
      <div className={page.pair}>
        <div>
          {color('text_color')}
          {(look.text_color || look.background_color) && (
            <Contrast
              color={look.text_color || ofPage.text_color}
              grounds={grounds}
              onFix={(text_color) => onChange({ ...look, text_color })}
            />
          )}
        </div>
        {color('background_color')}
      </div>
      <div className={styles.checks}>
        {marks.map((name) => (
          <Checkbox
            key={name}
            label={words.choices[name]}
            checked={style[name] ?? false}
            onChange={({ currentTarget: { checked } }) =>
              onChange({ ...look, text_block_style: { ...style, [name]: checked } })
            }
          />
        ))}
      </div>
    </>
  )
}
