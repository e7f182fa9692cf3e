import { ColorInput } from '@mantine/core'
import '@mantine/core/styles/ColorInput.layer.css'
import '@mantine/core/styles/ColorPicker.layer.css'
import '@mantine/core/styles/ColorSwatch.layer.css'
import { studio } from '../../../texts/studio.js'

interface ColorFieldProps {
  readonly label: string
  /** Undefined: the API chooses. */
  readonly value: string | undefined
  readonly placeholder?: string
  readonly onChange: (color: string) => void
}

export function ColorField({ label, value = '', placeholder = studio.automatic, onChange }: ColorFieldProps) {
  return (
    <ColorInput
      label={label}
      value={value}
      placeholder={placeholder}
      // It also says the same color, in its own spelling, when the focus leaves it.
      onChange={(color) => {
        if (color.toLowerCase() !== value.toLowerCase()) onChange(color)
      }}
      popoverProps={{ withinPortal: false }}
      eyeDropperButtonProps={{ 'aria-label': studio.pickColor }}
    />
  )
}
