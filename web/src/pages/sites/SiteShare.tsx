/** The address of a page, large, with its QR code and the ways to hand it on. */
import { siteTexts as words } from '../../texts/sites.js'
import { Code, CopyAndShare } from '../create/ShareLink.js'
import share from '../create/ShareLink.module.css'
import { type Site, shownUrl } from './model.js'

export function SiteShare({ site }: { readonly site: Site }) {
  const shown = shownUrl(site.url)
  const slash = shown.indexOf('/')
  const [domain, path] = slash === -1 ? [shown, ''] : [shown.slice(0, slash), shown.slice(slash)]
  return (
    <div className={share.share}>
      <div className={share.about}>
        <a href={site.url} target="_blank" rel="noopener noreferrer" className={share.link} aria-label={shown}>
          <span className={share.domain}>{domain}</span>
          <wbr />
          {path}
        </a>
        <p className={share.destination}>{words.shareHint}</p>
        <CopyAndShare url={site.url} title={site.content.display_name} isCopied={false} />
      </div>
      <Code group={site.group_guid} url={`${site.url}?r=qr`} name={shown} />
    </div>
  )
}
