/** The first steps, ticked by what the API says. Gone when all are done, when dismissed, and for groups at work. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ArrowRight, Check, X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { tokensQuery } from '../../api/queries.js'
import { Card } from '../../parts/Card.js'
import icon from '../../parts/IconButton.module.css'
import { openCreate } from '../../shell/create-link.js'
import { useGroup, useIsAdmin } from '../../shell/current-group.js'
import { texts } from '../../texts/texts.js'
import { groupMembersQuery } from '../links/queries.js'
import { codesQuery } from '../qr-codes/queries.js'
import styles from './Start.module.css'

interface ChecklistProps {
  readonly group: string
  readonly hasLinks: boolean
}

export function Checklist({ group, hasLinks }: ChecklistProps) {
  const words = texts.start
  const key = `shortlink-start-${group}`
  const [isDismissed, setIsDismissed] = useState(() => localStorage.getItem(key) === 'true')
  const dismiss = () => {
    localStorage.setItem(key, 'true')
    setIsDismissed(true)
  }
  const done = useDone(group, hasLinks)
  if (isDismissed || !done) return null
  const steps = Object.keys(done) as Step[]
  const left = steps.filter((step) => !done[step])
  if (left.length === 0) return null
  return (
    <Card
      title={words.checklist}
      actions={
        <span className={styles.state}>
          {words.done(steps.length - left.length, steps.length)}
          <button
            type="button"
            className={icon.button}
            aria-label={words.dismiss}
            title={words.dismiss}
            onClick={dismiss}
          >
            <X size={16} />
          </button>
        </span>
      }
    >
      <ul className={styles.steps} aria-label={words.checklist}>
        {steps.map((step) => (
          <li key={step} data-done={done[step] || undefined}>
            {done[step] ? (
              <span className={styles.step}>
                <StepText step={step} isDone />
              </span>
            ) : (
              <Way step={step} group={group}>
                <StepText step={step} />
                <ArrowRight size={16} aria-hidden="true" />
              </Way>
            )}
          </li>
        ))}
      </ul>
    </Card>
  )
}

type Step = keyof typeof texts.start.steps

/** Undefined until all is known. Only administrators add domains and people. */
function useDone(group: string, hasLinks: boolean): Partial<Record<Step, boolean>> | undefined {
  const isAdmin = useIsAdmin()
  const known = useGroup()
  const codes = useInfiniteQuery(codesQuery(group, {})).data?.pages[0]?.qr_codes
  const { data: members } = useQuery(groupMembersQuery(group))
  const { data: tokens } = useQuery(tokensQuery)
  if (!known || !codes || !members || !tokens) return undefined
  return {
    link: hasLinks,
    code: codes.length > 0,
    ...(isAdmin && { domain: known.bsds.length > 0, colleague: members.length > 1 }),
    token: tokens.some(({ client_id }) => client_id === undefined),
  }
}

function StepText({ step, isDone = false }: { readonly step: Step; readonly isDone?: boolean }) {
  return (
    <>
      <span className={styles.tick}>{isDone && <Check size={13} strokeWidth={3} aria-hidden="true" />}</span>
      <span className={styles.name}>
        {texts.start.steps[step]}
        {isDone && <span className="visually-hidden"> ({texts.start.isDone})</span>}
      </span>
    </>
  )
}

interface WayProps {
  readonly step: Step
  readonly group: string
  readonly children: ReactNode
}

/** Where a step is done. */
function Way({ step, group, children }: WayProps) {
  const shared = { className: styles.step, params: { group }, children }
  if (step === 'code') return <Link to="/$group/qr-codes" {...shared} />
  if (step === 'domain') return <Link to="/$group/domains" {...shared} />
  if (step === 'colleague') return <Link to="/$group/settings" search={{ tab: 'members' }} {...shared} />
  if (step === 'token') return <Link to="/account" className={styles.step} children={children} />
  return (
    <button type="button" className={styles.step} onClick={() => openCreate()}>
      {children}
    </button>
  )
}
