/** The colours of a page: those that were chosen, or those of its theme. */
import { type Appearance, defaultAppearance } from '../../core/sites/site.js'
import { coloredAs, isUncolored } from '../../core/sites/templates.js'

export interface Palette {
  /** Top and bottom of the page. */
  readonly background: string
  readonly bottom: string
  readonly text: string
  readonly description: string
  readonly button: string
  readonly buttonText: string
  readonly icon: string
  /** Behind the header. */
  readonly header: string
}

export interface Palettes {
  readonly light: Palette
  /** For visitors who prefer dark pages: only a page without colours of its own has both. */
  readonly dark: Palette | undefined
}

export function palettesOf(appearance: Appearance): Palettes {
  const colored = coloredAs(appearance)
  const isUsual = colored.stylePreference === 'theme' && isUncolored(colored)
  return { light: paletteOf(colored), dark: isUsual ? dark : undefined }
}

function paletteOf(appearance: Appearance): Palette {
  const background = colorOr(appearance.backgroundColor, defaultAppearance.backgroundColor)
  const isGradient = appearance.backgroundPreference === 'gradient'
  return {
    background,
    bottom: isGradient ? colorOr(appearance.bottomBackgroundColor, background) : background,
    text: colorOr(appearance.textColor, defaultAppearance.textColor),
    description: colorOr(appearance.descriptionColor, defaultAppearance.descriptionColor),
    button: colorOr(appearance.buttonBackgroundColor, defaultAppearance.buttonBackgroundColor),
    buttonText: colorOr(appearance.buttonTextColor, defaultAppearance.buttonTextColor),
    icon: colorOr(appearance.socialIconColor, defaultAppearance.socialIconColor),
    header: colorOr(appearance.header.backgroundColor, background),
  }
}

/** The default colours, for dark rooms. */
const dark: Palette = {
  background: '#101013',
  bottom: '#101013',
  text: '#fafafa',
  description: '#b4b4bd',
  button: '#fafafa',
  buttonText: '#18181b',
  icon: '#fafafa',
  header: '#27272a',
}

/** Checked once more: the style sheet decides by itself whether it is harmless. */
export function colorOr(color: string | undefined, usual: string): string {
  return color !== undefined && /^#[0-9a-f]{6}$/i.test(color) ? color : usual
}
