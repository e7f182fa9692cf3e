import { Button } from '@mantine/core'
import { errorText, ProblemLine } from '../../parts/Problem.js'
import page from '../../parts/page.module.css'
import { siteTexts as words } from '../../texts/sites.js'
import { texts } from '../../texts/texts.js'

interface SaveBarProps {
  readonly isShown: boolean
  readonly error: unknown
  readonly isBusy: boolean
  readonly onDiscard: () => void
}

/** At the end of a form that is always open: only while something is changed. */
export function SaveBar({ isShown, error, isBusy, onDiscard }: SaveBarProps) {
  if (!isShown) return null
  return (
    <>
      <ProblemLine>{Boolean(error) && errorText(error)}</ProblemLine>
      <div className={page.end}>
        <Button variant="default" onClick={onDiscard}>
          {texts.discard.action}
        </Button>
        <Button type="submit" loading={isBusy}>
          {words.saveDraft}
        </Button>
      </div>
    </>
  )
}
