import { ActionIcon, type MantineColorScheme, Menu, useMantineColorScheme } from '@mantine/core'
import { Monitor, Moon, Sun } from 'lucide-react'
import { texts } from '../texts/texts.js'

const schemes = [
  ['light', Sun],
  ['dark', Moon],
  ['auto', Monitor],
] as const satisfies readonly (readonly [MantineColorScheme, typeof Sun])[]

export function ThemeMenu() {
  // Without this, Mantine switches transitions off by a <style> element, which the policy forbids.
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true })
  const Current = schemes.find(([scheme]) => scheme === colorScheme)?.[1] ?? Monitor
  const { theme } = texts.shell
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon size="lg" aria-label={theme.label}>
          <Current size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {schemes.map(([scheme, Icon]) => (
          <Menu.Item
            key={scheme}
            leftSection={<Icon size={16} />}
            aria-current={scheme === colorScheme}
            onClick={() => setColorScheme(scheme)}
          >
            {theme[scheme]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
