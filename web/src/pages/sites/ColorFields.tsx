/** The colours of a page, and whether what is written in them can be read. */
import { Button, Select } from '@mantine/core'
import { Check, TriangleAlert } from 'lucide-react'
import { siteTexts as words } from '../../texts/sites.js'
import { ColorField } from '../qr-codes/studio/ColorField.js'
import { contrast, isColor, leastContrast, nearestReadable, shownRatio } from './contrast.js'
import type { Appearance } from './model.js'
import styles from './sites.module.css'
import { bannerColorOf, colorsOf, groundsOf, type ThemeColors } from './themes.js'

interface ColorFieldsProps {
  readonly appearance: Appearance
  readonly onChange: (part: Partial<Appearance>) => void
}

/** Of icons (WCAG 2.2, 1.4.11). */
const leastOfIcons = 3

const backgrounds = ['color', 'gradient', 'image'] as const

export function ColorFields({ appearance, onChange }: ColorFieldsProps) {
  const colors = colorsOf(appearance)
  const { background_preference: background = 'color', header_appearance: header = {} } = appearance
  const banner = header.banner_type === undefined || header.banner_type === 'none' ? undefined : bannerColorOf(header)
  const grounds = groundsOf(colors)
  const change = (name: keyof ThemeColors) => (color: string) => onChange({ style_preference: 'custom', [name]: color })
  const field = (name: keyof ThemeColors) => (
    <ColorField label={words.colorNames[name]} value={colors[name]} onChange={change(name)} />
  )
  const readable = (name: keyof ThemeColors, on: readonly string[], least = leastContrast) => (
    <div>
      {field(name)}
      <Contrast color={colors[name]} grounds={on} least={least} onFix={change(name)} />
    </div>
  )
  const behindTexts = banner ? [...grounds, banner] : grounds
  return (
    <div className={styles.colors}>
      <Select
        label={words.background}
        data={backgrounds.map((value) => ({ value, label: words.grounds[value] }))}
        value={background}
        onChange={(value) =>
          onChange({
            background_preference: value as typeof background,
            style_preference: value === 'image' ? 'image' : 'custom',
          })
        }
        allowDeselect={false}
      />
      {field('background_color')}
      {background === 'gradient' && (
        <>
          {field('bottom_background_color')}
          <span className={styles.break} />
        </>
      )}
      {readable('text_color', behindTexts)}
      {readable('description_color', behindTexts)}
      {field('default_button_background_color')}
      {readable('default_button_text_color', [colors.default_button_background_color])}
      {readable('default_social_icon_color', grounds, leastOfIcons)}
      {banner && (
        <ColorField
          label={words.bannerColor}
          value={banner}
          onChange={(color) =>
            onChange({ style_preference: 'custom', header_appearance: { ...header, header_background_color: color } })
          }
        />
      )}
    </div>
  )
}

interface ContrastProps {
  readonly color: string
  readonly grounds: readonly string[]
  readonly least?: number
  readonly onFix: (color: string) => void
}

/** Whether a colour can be read on others, and the nearest one that can. */
export function Contrast({ color, grounds, least = leastContrast, onFix }: ContrastProps) {
  if (![color, ...grounds].every(isColor)) return null
  // On the one where it is hardest to read.
  const worst = [...grounds].sort((one, other) => contrast(color, one) - contrast(color, other))[0] ?? ''
  const ratio = contrast(color, worst)
  const isReadable = ratio >= least
  const nearest = nearestReadable(color, worst, least)
  return (
    <div className={styles.contrast} data-bad={!isReadable || undefined} role="status">
      {isReadable ? <Check size={14} aria-hidden="true" /> : <TriangleAlert size={14} aria-hidden="true" />}
      <span>{isReadable ? words.contrast(shownRatio(ratio)) : words.contrastLow(shownRatio(ratio), least)}</span>
      {!isReadable && (
        <Button
          variant="default"
          size="compact-sm"
          leftSection={<span className={styles.swatch} style={{ background: nearest }} />}
          onClick={() => onFix(nearest)}
        >
          {words.useColor(nearest)}
        </Button>
      )}
    </div>
  )
}
