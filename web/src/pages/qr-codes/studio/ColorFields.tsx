import page from '../../../parts/page.module.css'
import { studio } from '../../../texts/studio.js'
import { ColorField } from './ColorField.js'
import { type DesignProps, withDots } from './design.js'
import { GradientFields } from './GradientFields.js'

/** Colours to begin a gradient with: dark ones for dots and light ones for the ground, so that the code scans. */
const darkBlue = '#2a49bd'
const lightBlue = '#dde7ff'

export function ColorFields({ design, onChange }: DesignProps) {
  const { dot_pattern_color: dots = '#000000', background_color: ground = '#ffffff' } = design
  return (
    <>
      <div className={page.pair}>
        <ColorField label={studio.dots} value={dots} onChange={(color) => onChange((now) => withDots(now, color))} />
        <ColorField
          label={studio.ground}
          value={ground}
          onChange={(background_color) => onChange((now) => ({ ...now, background_color }))}
        />
      </div>
      <GradientFields
        label={studio.gradientOf.dots}
        gradient={design.gradient ?? {}}
        colors={[dots, darkBlue]}
        onChange={(gradient) => onChange((now) => ({ ...now, gradient }))}
      />
      <GradientFields
        label={studio.gradientOf.ground}
        gradient={design.background_gradient ?? {}}
        colors={[ground, lightBlue]}
        onChange={(background_gradient) => onChange((now) => ({ ...now, background_gradient }))}
      />
    </>
  )
}
