import { convertCssVariables, DEFAULT_THEME, defaultCssVariablesResolver, mergeMantineTheme } from '@mantine/core'
import type { Plugin } from 'vite'
import { theme } from '../src/theme/theme.ts'

const name = 'virtual:theme-variables.css'

/**
 * Writes the theme's CSS variables to a file at build time. Mantine would put them into a <style> element at run time,
 * which our Content-Security-Policy forbids.
 */
export function themeVariables(): Plugin {
  return {
    name: 'theme-variables',
    resolveId: (id) => (id === name ? `\0${name}` : undefined),
    load(id) {
      if (id !== `\0${name}`) return undefined
      return convertCssVariables(defaultCssVariablesResolver(mergeMantineTheme(DEFAULT_THEME, theme)), ':root')
    },
  }
}
