import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Scale } from 'lucide-react'
import { useGroupGuid } from '../../shell/current-group.js'
import { texts } from '../../texts/texts.js'
import type { CompareSearch } from './search.js'

/** Opens the page that compares. */
export function CompareButton({ search }: { readonly search: CompareSearch }) {
  const group = useGroupGuid()
  return (
    <Button
      variant="default"
      leftSection={<Scale size={16} aria-hidden="true" />}
      renderRoot={(props) => <Link to="/$group/analytics/compare" params={{ group }} search={search} {...props} />}
    >
      {texts.analytics.comparison}
    </Button>
  )
}
