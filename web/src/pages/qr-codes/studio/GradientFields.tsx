import { Button, Checkbox, NumberInput, Select } from '@mantine/core'
import '@mantine/core/styles/NumberInput.layer.css'
import { Plus, X } from 'lucide-react'
import icon from '../../../parts/IconButton.module.css'
import { studio } from '../../../texts/studio.js'
import { ColorField } from './ColorField.js'
import { type Gradient, type GradientStyle, mostColors, withOneMore, withStyle } from './design.js'
import styles from './Studio.module.css'

interface GradientFieldsProps {
  readonly label: string
  readonly gradient: Gradient
  /** To begin with. */
  readonly colors: readonly string[]
  readonly onChange: (gradient: Gradient) => void
}

export function GradientFields({ label, gradient, colors, onChange }: GradientFieldsProps) {
  const { style = 'no_gradient' } = gradient
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend, and the first field has the name.
    <div role="group" aria-label={label} className={styles.part}>
      <div className={styles.line}>
        <Select
          label={label}
          data={Object.entries(studio.gradients).map(([value, text]) => ({ value, label: text }))}
          value={style}
          onChange={(chosen) => onChange(withStyle(gradient, chosen as GradientStyle, colors))}
          allowDeselect={false}
        />
        {style === 'linear' && (
          <NumberInput
            className={styles.number}
            label={studio.angle}
            title={studio.angleHint}
            value={gradient.angle ?? 0}
            min={0}
            max={360}
            step={15}
            suffix="°"
            onChange={(angle) => typeof angle === 'number' && onChange({ ...gradient, angle })}
          />
        )}
      </div>
      {style !== 'no_gradient' && (
        <>
          <Stops gradient={gradient} onChange={onChange} />
          <Checkbox
            label={studio.excludeCorners}
            checked={gradient.exclude_corners ?? false}
            onChange={({ currentTarget }) => onChange({ ...gradient, exclude_corners: currentTarget.checked })}
          />
        </>
      )}
    </div>
  )
}

/** The colours of a gradient, each with its place on the way from the first to the last. */
function Stops({ gradient, onChange }: Pick<GradientFieldsProps, 'gradient' | 'onChange'>) {
  const { colors = [] } = gradient
  const change = (at: number, changed: { color?: string; offset?: number }) =>
    onChange({ ...gradient, colors: colors.map((stop, index) => (index === at ? { ...stop, ...changed } : stop)) })
  const remove = (at: number) => onChange({ ...gradient, colors: colors.filter((_, index) => index !== at) })
  return (
    <>
      {colors.map(({ color, offset = 0 }, at) => (
        <div key={at} className={styles.line}>
          <ColorField
            label={studio.colorNumber(at + 1)}
            value={color}
            onChange={(chosen) => change(at, { color: chosen })}
          />
          <NumberInput
            className={styles.number}
            aria-label={studio.position(at + 1)}
            value={offset}
            min={0}
            max={100}
            step={5}
            suffix=" %"
            onChange={(chosen) => typeof chosen === 'number' && change(at, { offset: chosen })}
          />
          {colors.length > 2 && (
            <button
              type="button"
              className={icon.button}
              aria-label={studio.removeColor(at + 1)}
              onClick={() => remove(at)}
            >
              <X size={16} />
            </button>
          )}
        </div>
      ))}
      {colors.length < mostColors && (
        <Button
          className={styles.add}
          variant="subtle"
          size="compact-sm"
          leftSection={<Plus size={14} />}
          onClick={() => onChange(withOneMore(gradient))}
        >
          {studio.addColor}
        </Button>
      )}
    </>
  )
}
