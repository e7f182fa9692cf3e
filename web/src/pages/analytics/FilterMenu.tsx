/** The button for everything that the numbers can be filtered by. */
import { Button, Popover } from '@mantine/core'
import { ListFilter } from 'lucide-react'
import { Suspense, useState } from 'react'
import { suspendingPart } from '../../parts/lazy-part.js'
import { useShortcuts } from '../../shell/shortcuts.js'
import { texts } from '../../texts/texts.js'
import type { FilteredProps } from './Analytics.js'

const FilterChoice = suspendingPart(() => import('./FilterChoice.js'), 'FilterChoice')

export function FilterMenu(props: FilteredProps) {
  const [isOpen, setIsOpen] = useState(false)
  useShortcuts([{ keys: 'f', label: texts.analytics.filter, run: () => setIsOpen(true) }])
  return (
    <Popover opened={isOpen} onChange={setIsOpen} position="bottom-start" width={320} trapFocus returnFocus>
      <Popover.Target>
        <Button
          variant="default"
          leftSection={<ListFilter size={16} aria-hidden="true" />}
          onClick={() => setIsOpen(!isOpen)}
        >
          {texts.analytics.filter}
        </Button>
      </Popover.Target>
      {/* Around it, so that the focus moves into the field that is loaded first. */}
      <Suspense>
        <Popover.Dropdown aria-label={texts.analytics.filter} p={0}>
          {isOpen && <FilterChoice {...props} />}
        </Popover.Dropdown>
      </Suspense>
    </Popover>
  )
}
