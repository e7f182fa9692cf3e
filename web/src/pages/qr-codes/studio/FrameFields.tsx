import { Select, TextInput } from '@mantine/core'
import page from '../../../parts/page.module.css'
import { studio } from '../../../texts/studio.js'
import { ColorField } from './ColorField.js'
import { type DesignProps, type Frame, longestText, withFrame } from './design.js'
import { choices } from './ShapeFields.js'

const colorNames = ['primary', 'secondary', 'background'] as const

export function FrameFields({ design, onChange }: DesignProps) {
  const { id = 'none', text = {}, colors = {} }: Partial<Frame> = design.frame ?? {}
  const hasText = id !== 'none' && id !== 'border_only'
  return (
    <>
      <Select
        label={studio.frame}
        data={choices(studio.frames)}
        value={id}
        onChange={(chosen) => onChange((now) => ({ ...now, frame: { ...now.frame, id: chosen as Frame['id'] } }))}
        allowDeselect={false}
      />
      {hasText && (
        <div className={page.pair}>
          <TextInput
            label={studio.frameText}
            placeholder={studio.defaultFrameText}
            maxLength={longestText.frame}
            value={text.primary ?? ''}
            onChange={({ currentTarget: { value } }) => onChange((now) => withFrame(now, 'text', 'primary', value))}
          />
          {id === 'text_top_and_bottom' && (
            <TextInput
              label={studio.secondFrameText}
              placeholder={studio.defaultSecondText}
              maxLength={longestText.frame}
              value={text.secondary ?? ''}
              onChange={({ currentTarget: { value } }) => onChange((now) => withFrame(now, 'text', 'secondary', value))}
            />
          )}
        </div>
      )}
      {id !== 'none' && (
        <div className={page.pair}>
          {colorNames
            .filter((name) => hasText || name !== 'secondary')
            .map((name) => (
              <ColorField
                key={name}
                label={studio.frameColors[name]}
                value={colors[name]}
                onChange={(color) => onChange((now) => withFrame(now, 'colors', name, color))}
              />
            ))}
        </div>
      )}
    </>
  )
}
