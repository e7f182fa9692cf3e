import type { ReactNode } from 'react'
import type { DrawingName } from './Drawing.js'
import styles from './Empty.module.css'
import { lazyPart } from './lazy-part.js'
import { Message } from './Problem.js'

const Drawing = lazyPart(() => import('./Drawing.js'), 'Drawing', <span className={styles.drawing} />)

interface EmptyProps {
  readonly drawing: DrawingName
  readonly title: string
  readonly children?: ReactNode
  readonly action?: ReactNode
}

/** A place where nothing is, or nothing that was asked for: a drawing, a sentence, and what to do. */
export function Empty({ drawing, ...message }: EmptyProps) {
  return <Message {...message} picture={<Drawing name={drawing} />} />
}
