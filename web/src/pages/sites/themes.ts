/** Colours that go together, to begin with. A page has them as its own. */
import type { Appearance } from './model.js'

/** Background, bottom, text, description, button, text of buttons; icons are as texts. The first one is as new pages are. */
const palettes = {
  daylight: '#ffffff #ffffff #18181b #52525b #18181b #ffffff',
  midnight: '#0c0f1a #171d33 #f5f7ff #b6bfd9 #5b7cfa #0b0e18',
  paper: '#f8f2e9 #ecdcc5 #30241a #5f4c3a #3a2b1e #fdf6ec',
  forest: '#14392c #0b2119 #f3f8ee #c3d8c8 #e5f0d6 #12372a',
  sunset: '#ffb199 #ffd9a8 #40101f #5c1f2e #40101f #fff3ea',
  lake: '#e6f4fc #b9dcf3 #0a2b45 #23506f #0b4f80 #ffffff',
  lavender: '#f2edff #d9ccff #2a1b54 #4b3a7c #5b3bc4 #ffffff',
  rose: '#ffeaf3 #ffc9df #4a0d2c #742149 #b3134f #ffffff',
  neon: '#0a0a12 #0a0a12 #f5f5ff #b9b9cc #c8ff40 #0a0a12',
} as const

export type Theme = keyof typeof palettes
export const themes = Object.keys(palettes) as readonly Theme[]

export type ThemeColors = Required<
  Pick<
    Appearance,
    | 'background_color'
    | 'bottom_background_color'
    | 'text_color'
    | 'description_color'
    | 'default_button_background_color'
    | 'default_button_text_color'
    | 'default_social_icon_color'
  >
>

export function colorsOfTheme(theme: Theme): ThemeColors {
  const [background = '', bottom = '', text = '', description = '', button = '', buttonText = ''] =
    palettes[theme].split(' ')
  return {
    background_color: background,
    bottom_background_color: bottom,
    text_color: text,
    description_color: description,
    default_button_background_color: button,
    default_button_text_color: buttonText,
    default_social_icon_color: text,
  }
}

const firstBanner = '#f4f4f5'

export function bannerColorOf({
  header_background_color = firstBanner,
}: NonNullable<Appearance['header_appearance']>): string {
  return header_background_color
}

/** The appearance in the colours of a theme. With those of new pages, visitors who prefer dark pages get one. */
export function withTheme(appearance: Appearance, theme: Theme): Appearance {
  const colors = colorsOfTheme(theme)
  const isFirst = theme === themes[0]
  const isGradient = colors.background_color !== colors.bottom_background_color
  return {
    ...appearance,
    ...colors,
    theme_id: 1,
    style_preference: isFirst ? 'theme' : 'custom',
    background_preference: isGradient ? 'gradient' : 'color',
    header_appearance: {
      ...appearance.header_appearance,
      header_background_color: isFirst ? firstBanner : colors.bottom_background_color,
    },
  }
}

export function isTheme(appearance: Appearance, theme: Theme): boolean {
  const wanted = Object.entries(withTheme(appearance, theme))
  return wanted.every(([name, value]) => typeof value === 'object' || appearance[name as keyof Appearance] === value)
}

/** What visitors see in light rooms. */
export function colorsOf(appearance: Partial<Appearance>): ThemeColors {
  const first = colorsOfTheme('daylight')
  const names = Object.keys(first) as (keyof ThemeColors)[]
  const own = Object.fromEntries(names.map((name) => [name, appearance[name] ?? first[name]])) as unknown as ThemeColors
  const isFlat = appearance.background_preference !== 'gradient'
  return isFlat ? { ...own, bottom_background_color: own.background_color } : own
}

/** What is behind the texts of a page: one colour, or both ends of a gradient. */
export function groundsOf({ background_color, bottom_background_color }: ThemeColors): readonly string[] {
  return [...new Set([background_color, bottom_background_color])]
}
