import { TextInput } from '@mantine/core'
import page from '../../../parts/page.module.css'
import { studio } from '../../../texts/studio.js'
import { ColorField } from './ColorField.js'
import { type DesignProps, longestText, type TextPlace, withText } from './design.js'
import styles from './Studio.module.css'

const places: readonly TextPlace[] = ['top', 'center', 'bottom']

export function TextFields({ design, onChange }: DesignProps) {
  return places.map((place) => {
    const { content = '', color } = design.text?.[place] ?? {}
    // A code has one or the other there.
    const isTaken = place === 'center' && design.logo !== undefined && content === ''
    return (
      <div key={place} className={`${page.pair} ${styles.level}`}>
        <TextInput
          label={studio.texts[place]}
          description={isTaken ? studio.logoIsThere : studio.longest(longestText[place])}
          disabled={isTaken}
          maxLength={longestText[place]}
          value={content}
          onChange={({ currentTarget: { value } }) => onChange((now) => withText(now, place, value))}
        />
        {content !== '' && (
          <ColorField
            label={studio.textColors[place]}
            value={color ?? '#ffffff'}
            onChange={(chosen) => onChange((now) => withText(now, place, content, chosen))}
          />
        )}
      </div>
    )
  })
}
