import styles from './SiteMark.module.css'

/** A mark for a site made of its first letter: favicons would tell other hosts what people look at. */
export function SiteMark({ url }: { readonly url: string }) {
  const host = hostOf(url)
  const hue = [...host].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 6, 7)
  return (
    <span className={styles.mark} data-hue={hue} aria-hidden="true">
      {host.slice(0, 1).toUpperCase()}
    </span>
  )
}

function hostOf(url: string): string {
  try {
    return new URL(url).hostname.replace(/^www\./, '')
  } catch {
    return url
  }
}
