import { createTheme, type MantineColorsTuple } from '@mantine/core'

const accent: MantineColorsTuple = [
  '#eff4ff',
  '#dde7ff',
  '#bccfff',
  '#95b2ff',
  '#6f93fb',
  '#4d75f0',
  '#3459dd',
  '#2a49bd',
  '#25409b',
  '#20367e',
]

/** Mantine's red is too light for white text on it. */
const red: MantineColorsTuple = [
  '#fff5f5',
  '#ffe3e3',
  '#ffc9c9',
  '#ffa8a8',
  '#ff8787',
  '#f05252',
  '#d12d2d',
  '#b92525',
  '#a32020',
  '#8a1b1b',
]

const gray: MantineColorsTuple = [
  '#fafafb',
  '#f3f4f6',
  '#e8eaee',
  '#d9dce3',
  '#bfc4cf',
  '#9299a8',
  '#6b7283',
  '#4d5464',
  '#343a48',
  '#1d222e',
]

/** Mantine uses these in dark mode: 0 is text, 6 and 7 are surfaces, 8 is the page. */
const dark: MantineColorsTuple = [
  '#e8eaf0',
  '#c5cad6',
  '#9aa2b3',
  '#747d91',
  '#4c5466',
  '#363d4c',
  '#272d39',
  '#1a1f29',
  '#12161e',
  '#0c0f15',
]

/** Where things come from is up to the screen: theme/sheets.css. */
const comesFrom = (from: string) => ({
  duration: 150,
  transition: {
    in: { opacity: 1, transform: 'none' },
    out: { opacity: 0, transform: `var(${from})` },
    transitionProperty: 'opacity, transform',
  },
})

/** By the click itself: what closes at the touch before it would let it through to what is below. */
const closedBy = ['click']

/** One calm look: neutral ground, blue for what can be done and for clicks, orange for scans, 14.5 px text. Motion takes 120 to 180 ms. */
export const theme = createTheme({
  primaryColor: 'accent',
  primaryShade: 6,
  colors: { accent, red, gray, dark },
  fontFamily: 'Inter, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, monospace',
  fontSizes: { xs: '0.75rem', sm: '0.84375rem', md: '0.90625rem', lg: '1.0625rem', xl: '1.25rem' },
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '1.5rem', lineHeight: '1.25' },
      h2: { fontSize: '1.0625rem', lineHeight: '1.4' },
      h3: { fontSize: '0.9375rem', lineHeight: '1.4' },
    },
  },
  defaultRadius: 'md',
  radius: { xs: '4px', sm: '6px', md: '8px', lg: '12px', xl: '16px' },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray' } },
    Modal: {
      defaultProps: {
        lockScroll: false,
        centered: true,
        radius: 'lg',
        transitionProps: comesFrom('--dialog-from'),
        padding: 'lg',
        // A <header> of a dialog would be one of the page.
        attributes: { header: { role: 'presentation' } },
      },
    },
    Menu: {
      defaultProps: {
        transitionProps: comesFrom('--sheet-from'),
        shadow: 'md',
        position: 'bottom-end',
        // It is no item of the menu; the first item has the focus instead.
        withInitialFocusPlaceholder: false,
        clickOutsideEvents: [...closedBy, 'keydown'],
      },
    },
    Popover: {
      defaultProps: { transitionProps: comesFrom('--sheet-from'), shadow: 'md', clickOutsideEvents: closedBy },
    },
    Tooltip: { defaultProps: { transitionProps: { duration: 120 }, openDelay: 300, withArrow: true } },
    Skeleton: { defaultProps: { radius: 'sm' } },
  },
})
