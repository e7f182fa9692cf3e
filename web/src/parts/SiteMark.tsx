import styles from './SiteMark.module.css'

interface SiteMarkProps {
  readonly url: string
  /** A `data:` URL from our service: the sites themselves, or a service for icons, would learn what people look at. */
  readonly icon?: string | undefined
}

/** A mark for a site: its icon, or else its first letter. */
export function SiteMark({ url, icon }: SiteMarkProps) {
  return <LetterMark name={hostOf(url).replace(/^www\./, '')} icon={icon} />
}

interface LetterMarkProps {
  readonly name: string
  readonly icon?: string | undefined
  /** People are round. */
  readonly isRound?: boolean
}

/** The same name has the same color everywhere. */
export function LetterMark({ name, icon, isRound }: LetterMarkProps) {
  const hue = [...name].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 6, 7)
  return (
    <span className={styles.mark} data-hue={hue} data-icon={icon && true} data-round={isRound} aria-hidden="true">
      {icon ? <img src={icon} alt="" /> : name.slice(0, 1).toUpperCase()}
    </span>
  )
}

/** With its port, if it is not the usual one. */
export function hostOf(url: string): string {
  try {
    return new URL(url).host
  } catch {
    return url
  }
}
