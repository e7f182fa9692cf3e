import { Select } from '@mantine/core'
import page from '../../../parts/page.module.css'
import { studio } from '../../../texts/studio.js'
import { ColorField } from './ColorField.js'
import {
  cornerColorOf,
  type DesignProps,
  type Pattern,
  type Shape,
  shapeOf,
  withCornerColor,
  withShape,
} from './design.js'

export function ShapeFields({ design, onChange }: DesignProps) {
  return (
    <>
      <div className={page.pair}>
        <Select
          label={studio.pattern}
          data={choices(studio.patterns)}
          value={design.dot_pattern_type ?? 'standard'}
          onChange={(pattern) => onChange((now) => ({ ...now, dot_pattern_type: pattern as Pattern }))}
          allowDeselect={false}
        />
        <Select
          label={studio.corners}
          data={choices(studio.shapes)}
          value={shapeOf(design)}
          placeholder={studio.differentCorners}
          onChange={(shape) => onChange((now) => withShape(now, shape as Shape))}
          allowDeselect={false}
        />
        <ColorField
          label={studio.cornerRings}
          value={cornerColorOf(design, 'outer_color')}
          onChange={(color) => onChange((now) => withCornerColor(now, 'outer_color', color))}
        />
        <ColorField
          label={studio.cornerDots}
          value={cornerColorOf(design, 'inner_color')}
          onChange={(color) => onChange((now) => withCornerColor(now, 'inner_color', color))}
        />
      </div>
      <Select
        label={studio.correction}
        description={studio.correctionHint}
        data={choices(studio.corrections)}
        value={String(design.spec_settings?.error_correction ?? 2)}
        onChange={(level) => onChange((now) => ({ ...now, spec_settings: { error_correction: Number(level) } }))}
        allowDeselect={false}
      />
    </>
  )
}

export function choices(labels: Readonly<Record<string, string>>) {
  return Object.entries(labels).map(([value, label]) => ({ value, label }))
}
