import styles from './Middle.module.css'

interface MiddleProps {
  readonly text: string
  readonly className?: string | undefined
}

/** Enough to tell apart names that begin alike. */
const tail = 9

/** One line of text that is cut in its middle where it does not fit: both its beginning and its end stay. */
export function Middle({ text, className = '' }: MiddleProps) {
  const end = text.length < 3 * tail ? text.length : startOfSign(text, text.length - tail)
  return (
    <span className={`${styles.middle} ${className}`} title={text} dir="auto">
      <span className={styles.start}>{text.slice(0, end)}</span>
      {text.slice(end) && <span className={styles.end}>{text.slice(end)}</span>}
    </span>
  )
}

const signs = new Intl.Segmenter()

/** Emoji and accents are several characters that belong together, and Arabic letters join their neighbours. */
function startOfSign(text: string, at: number): number {
  // Most texts have none, and rows are made quickly.
  if (!/[^ -~]/.test(text.slice(at - 1))) return at
  if (/\p{Script=Arabic}/u.test(text)) return text.length
  return signs.segment(text).containing(at)?.index ?? at
}
