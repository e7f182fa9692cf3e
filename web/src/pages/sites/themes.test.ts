import { expect, it } from 'vitest'
import { contrast, leastContrast } from './contrast.js'
import { colorsOf, colorsOfTheme, isTheme, themes, withTheme } from './themes.js'

it.each(themes)('the theme %s can be read, and is told by its colours', (theme) => {
  const colors = colorsOfTheme(theme)
  for (const ground of [colors.background_color, colors.bottom_background_color]) {
    expect(contrast(colors.text_color, ground)).toBeGreaterThanOrEqual(leastContrast)
    expect(contrast(colors.description_color, ground)).toBeGreaterThanOrEqual(leastContrast)
  }
  const onButtons = contrast(colors.default_button_text_color, colors.default_button_background_color)
  expect(onButtons).toBeGreaterThanOrEqual(leastContrast)
  const made = withTheme({ font: 'Serif' }, theme)
  expect(themes.filter((each) => isTheme(made, each))).toEqual([theme])
  expect(made.font).toBe('Serif')
  expect(colorsOf(made)).toEqual(colors)
})
