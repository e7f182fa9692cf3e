import { ColorInput, Select } from '@mantine/core'
import '@mantine/core/styles/ColorInput.layer.css'
import '@mantine/core/styles/ColorPicker.layer.css'
import '@mantine/core/styles/ColorSwatch.layer.css'
import type { QrDesign } from '../../api/types.js'
import page from '../../parts/page.module.css'
import { texts } from '../../texts/texts.js'
import { otherParts, type Pattern, type Shape, shapeOf, withDots, withLogo, withShape } from './design.js'
import { LogoField } from './LogoField.js'

interface DesignFieldsProps {
  readonly group: string
  readonly design: QrDesign
  readonly onChange: (change: (design: QrDesign) => QrDesign) => void
}

export function DesignFields({ group, design, onChange }: DesignFieldsProps) {
  const { qrCodes } = texts
  const others = otherParts(design)
  return (
    <>
      <div className={page.pair}>
        <ColorInput
          label={qrCodes.dots}
          value={design.dot_pattern_color ?? '#000000'}
          onChange={(color) => onChange((now) => withDots(now, color))}
          popoverProps={{ withinPortal: false }}
          eyeDropperButtonProps={{ 'aria-label': qrCodes.pickColor }}
        />
        <ColorInput
          label={qrCodes.ground}
          value={design.background_color ?? '#ffffff'}
          onChange={(background_color) => onChange((now) => ({ ...now, background_color }))}
          popoverProps={{ withinPortal: false }}
          eyeDropperButtonProps={{ 'aria-label': qrCodes.pickColor }}
        />
        <Select
          label={qrCodes.pattern}
          data={choices(qrCodes.patterns)}
          value={design.dot_pattern_type ?? 'standard'}
          onChange={(pattern) => onChange((now) => ({ ...now, dot_pattern_type: pattern as Pattern }))}
          allowDeselect={false}
        />
        <Select
          label={qrCodes.corners}
          data={choices(qrCodes.shapes)}
          value={shapeOf(design)}
          placeholder={qrCodes.differentCorners}
          onChange={(shape) => onChange((now) => withShape(now, shape as Shape))}
          allowDeselect={false}
        />
      </div>
      <LogoField
        group={group}
        value={design.logo?.image_guid}
        onChange={(image) => onChange((now) => withLogo(now, image))}
      />
      {others.length > 0 && (
        <p className={page.hint}>{qrCodes.otherParts(others.map((part) => qrCodes.parts[part]).join(', '))}</p>
      )}
    </>
  )
}

function choices(labels: Readonly<Record<string, string>>) {
  return Object.entries(labels).map(([value, label]) => ({ value, label }))
}
