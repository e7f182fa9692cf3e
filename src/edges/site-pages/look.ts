/** How a page looks: its appearance as values of the style sheet. */
import { contrast, leastContrast } from '../../core/sites/contrast.js'
import type { Appearance, HeaderAppearance } from '../../core/sites/site.js'
import { type Palette, palettesOf } from './themes.js'

export interface Colors extends Palette {
  /** Of texts on the ground of the header. */
  readonly headerText: string
  /** The ground of the header with more and more of the buttons in it: what is drawn where there is no picture. */
  readonly tint: string
  readonly deepTint: string
  readonly shadow: string
  /** Before a picture: so much of the ground that texts can be read whatever the picture is. */
  readonly veil: string
  /** Round buttons. Where colours are replaced by those of the system, it tells them apart. */
  readonly edge: string
}

export interface Look {
  readonly scheme: 'light' | 'dark' | 'light dark'
  readonly colors: Colors
  /** For visitors who prefer dark pages; only the usual theme has both. */
  readonly darkColors: Colors | undefined
  /** Variables of sizes and fonts. */
  readonly measures: Readonly<Record<string, string>>
}

/** `textColors`: those of text blocks on the ground of the page. They were chosen for the usual ground, not for a dark one. */
export function lookOf(appearance: Appearance, textColors: readonly string[]): Look {
  const { light, dark: adapted } = palettesOf(appearance)
  const dark = textColors.length === 0 ? adapted : undefined
  const colorsOf = (palette: Palette): Colors => ({
    ...palette,
    ...tintsOf(palette),
    headerText: contrast(palette.text, palette.header) >= leastContrast ? palette.text : readableOn(palette.header),
    shadow: shadows[appearance.buttonShadow](palette),
    veil: veilOf(palette, textColors),
    edge: appearance.buttonShadow === 'hard' ? palette.text : `${palette.text}14`,
  })
  return {
    scheme: dark ? 'light dark' : readableOn(light.background) === white ? 'dark' : 'light',
    colors: colorsOf(light),
    darkColors: dark && colorsOf(dark),
    measures: measuresOf(appearance, appearance.header),
  }
}

function measuresOf(appearance: Appearance, header: HeaderAppearance): Readonly<Record<string, string>> {
  return {
    font: stacks[appearance.font],
    r: { rectangle: '0', rounded: '1rem', pill: '2rem' }[appearance.buttonShape],
    // Of cards, whose pictures would lose their corners, and of thumbnails.
    rc: { rectangle: '0', rounded: '1rem', pill: '1.5rem' }[appearance.buttonShape],
    rt: { rectangle: '0', rounded: '.625rem', pill: '50%' }[appearance.buttonShape],
    w: { default: '36.5rem', compact: '28rem', wide: '52rem' }[appearance.layout],
    h1: { xs: '1.25rem', sm: '1.5rem', med: '1.875rem', lg: '2.5rem' }[header.titleSize],
    h1w: weights[header.titleWeight],
    p: { xs: '.875rem', sm: '1rem', med: '1.125rem', lg: '1.25rem' }[header.descriptionSize],
    pw: weights[header.descriptionWeight],
    av: { xs: '3.5rem', sm: '4.5rem', med: '6.5rem', lg: '8.5rem', xl: '11rem' }[header.profileImageSize],
    avr: { round: '50%', rounded_square: '22%', square: '0' }[header.profileImageShape],
    avb: { none: '0', xs: '2px', sm: '3px', med: '5px', lg: '8px' }[header.profileImageBorderSize],
    avp: { left: 'start', center: 'center', right: 'end' }[header.profileImageLocation],
  }
}

const weights = { regular: '400', semi_bold: '600', bold: '700' }
const shadows = {
  none: () => '0 1px 2px #0000000f',
  soft: () => '0 .5rem 1.5rem #0000001f',
  hard: ({ text }: Palette) => `.25rem .25rem 0 ${text}`,
}

/** Fonts that devices have, under the names of our own. Nothing is loaded. */
const stacks: Readonly<Record<Appearance['font'], string>> = {
  Inter: 'Inter,system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif',
  System: 'system-ui,sans-serif',
  Rounded:
    'ui-rounded,"Hiragino Maru Gothic ProN",Quicksand,Comfortaa,Manjari,"Arial Rounded MT Bold",Calibri,sans-serif',
  Humanist: 'Seravek,"Gill Sans Nova",Ubuntu,Calibri,"DejaVu Sans",source-sans-pro,sans-serif',
  Geometric: 'Avenir,Montserrat,Corbel,"URW Gothic",source-sans-pro,sans-serif',
  Serif: 'Charter,"Bitstream Charter","Iowan Old Style","Sitka Text",Cambria,Georgia,serif',
  Slab: 'Rockwell,"Rockwell Nova","Roboto Slab","DejaVu Serif","Sitka Small",serif',
  Mono: 'ui-monospace,"Cascadia Code","Source Code Pro",Menlo,Consolas,"DejaVu Sans Mono",monospace',
}

const white = '#ffffff'
const black = '#000000'

/** White or black, whichever has the greater contrast: one of them holds on every color. */
export function readableOn(color: string): string {
  return contrast(color, black) > contrast(color, white) ? black : white
}

function tintsOf({ header, button, text }: Palette) {
  const ink = contrast(button, header) < 1.5 ? text : button
  return { tint: mixed(ink, header, 0.16), deepTint: mixed(ink, header, 0.42) }
}

function veilOf({ background, text, description, icon }: Palette, textColors: readonly string[]): string {
  const isReadable = (opacity: number) =>
    ['#000000', '#ffffff'].every((behind) => {
      const ground = mixed(background, behind, opacity / 255)
      return [text, description, icon, ...textColors].every((color) => contrast(color, ground) >= leastContrast)
    })
  const opacities = Array.from({ length: 25 }, (_, step) => 135 + step * 5)
  return `${background}${(opacities.find(isReadable) ?? 255).toString(16)}`
}

function mixed(color: string, behind: string, opacity: number): string {
  const channels = [1, 3, 5].map((at) => {
    const [over = 0, under = 0] = [color, behind].map((each) => Number.parseInt(each.slice(at, at + 2), 16))
    return Math.round(over * opacity + under * (1 - opacity))
  })
  return `#${channels.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`
}
