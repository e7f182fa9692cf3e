/** Small pictures for places where nothing is yet: grey for what will be there, one thing in the accent colour, and a spot of the second. */
import type { ReactNode } from 'react'
import styles from './Empty.module.css'

const { card, grey, ink, soft, spot, fill } = styles

/** On 160 by 96. */
const drawings = {
  links: (
    <>
      <rect className={card} x="36" y="18" width="88" height="26" rx="8" />
      <path className={grey} d="M48 31h34M92 31h20" />
      <rect className={card} x="36" y="52" width="88" height="26" rx="8" />
      <path className={grey} d="M48 65h24" />
      <circle className={`${soft} ${ink}`} cx="116" cy="62" r="17" />
      <path className={spot} d="M114 64.5a5 5 0 0 0 7 0l3-3a5 5 0 0 0-7-7l-1.5 1.5" />
      <path className={ink} d="M118 59.5a5 5 0 0 0-7 0l-3 3a5 5 0 0 0 7 7l1.5-1.5" />
    </>
  ),
  search: (
    <>
      <rect className={card} x="30" y="20" width="84" height="22" rx="7" strokeDasharray="4 4" />
      <rect className={card} x="30" y="52" width="84" height="22" rx="7" strokeDasharray="4 4" />
      <path className={grey} d="M42 31h30M42 63h18" />
      <circle className={`${soft} ${ink}`} cx="104" cy="50" r="17" />
      <path className={ink} d="M116 62l14 14" />
      <path className={spot} d="M98 50h12" />
    </>
  ),
  campaigns: (
    <>
      <rect className={card} x="26" y="26" width="38" height="44" rx="7" />
      <path className={grey} d="M36 40h18M36 50h12" />
      <path className={ink} d="M64 48c20 0 18-26 36-26M64 48h36M64 48c20 0 18 26 36 26" strokeDasharray="3 5" />
      <rect className={card} x="100" y="13" width="34" height="18" rx="9" />
      <rect className={`${soft} ${ink}`} x="100" y="39" width="34" height="18" rx="9" />
      <rect className={card} x="100" y="65" width="34" height="18" rx="9" />
      <path className={spot} d="M112 48h10" />
    </>
  ),
  codes: (
    <>
      <rect className={card} x="48" y="16" width="64" height="64" rx="10" />
      <rect className={grey} x="58" y="26" width="15" height="15" rx="3" />
      <rect className={grey} x="87" y="26" width="15" height="15" rx="3" />
      <rect className={grey} x="58" y="55" width="15" height="15" rx="3" />
      <path className={grey} d="M80 27v5M80 64v5M60 48h6M97 48h4" />
      <path className={fill} d="M77 45h6v6h-6zM87 55h6v6h-6zM96 55h6v6h-6zM87 64h6v6h-6z" />
    </>
  ),
  sites: (
    <>
      <rect className={card} x="54" y="8" width="52" height="80" rx="10" />
      <circle className={fill} cx="80" cy="24" r="6" />
      <path className={grey} d="M70 37h20" />
      <rect className={`${soft} ${ink}`} x="62" y="45" width="36" height="9" rx="4.5" />
      <rect className={grey} x="62" y="59" width="36" height="9" rx="4.5" />
      <rect className={grey} x="62" y="73" width="36" height="9" rx="4.5" />
      <path className={spot} d="M70 49.5h20" />
    </>
  ),
  webhooks: (
    <>
      <rect className={card} x="26" y="28" width="40" height="40" rx="9" />
      <path className={grey} d="M36 42h20M36 54h12" />
      <path className={ink} d="M72 48h22m-7-7l7 7-7 7" />
      <circle className={card} cx="116" cy="48" r="18" />
      <circle className={fill} cx="116" cy="48" r="5" />
    </>
  ),
  domains: (
    <>
      <rect className={card} x="30" y="16" width="100" height="64" rx="9" />
      <path className={grey} d="M30 38h100M40 27h.1M48 27h.1M44 52h40M44 64h26" />
      <rect className={`${soft} ${ink}`} x="60" y="22" width="60" height="10" rx="5" />
      <path className={spot} d="M67 27h14" />
    </>
  ),
  tags: (
    <>
      <path className={card} d="M48 40h26l20 20-20 20H48a8 8 0 0 1-8-8V48a8 8 0 0 1 8-8z" />
      <circle className={grey} cx="52" cy="60" r="3" />
      <path className={`${soft} ${ink}`} d="M78 16h26l20 20-20 20H78a8 8 0 0 1-8-8V24a8 8 0 0 1 8-8z" />
      <circle className={fill} cx="82" cy="36" r="3" />
      <path className={ink} d="M92 36h14" />
    </>
  ),
  apps: (
    <>
      <rect className={card} x="86" y="10" width="44" height="76" rx="9" />
      <path className={grey} d="M102 18h12" />
      <rect className={`${soft} ${ink}`} x="97" y="36" width="22" height="22" rx="6" />
      <circle className={fill} cx="108" cy="47" r="4" />
      <path className={grey} d="M98 68h20" />
      <rect className={card} x="26" y="36" width="32" height="24" rx="7" />
      <path className={grey} d="M35 48h14" />
      <path className={ink} d="M64 48h14m-6-6l6 6-6 6" />
    </>
  ),
  clicks: (
    <>
      <path className={grey} d="M32 16v60h96" />
      <path className={grey} d="M44 66h76" strokeDasharray="3 6" />
      <path className={grey} d="M32 36h6M32 56h6" />
      <path className={`${soft} ${ink}`} d="M78 26l24 9-10 5-5 10z" />
      <path className={spot} d="M72 16v4M63 23l4 2M66 34l3-2" />
    </>
  ),
  log: (
    <>
      <path className={grey} d="M50 22v52" />
      <path className={grey} d="M64 48h38M64 74h46" />
      <path className={spot} d="M64 22h54" />
      <circle className={`${soft} ${ink}`} cx="50" cy="22" r="6" />
      <circle className={card} cx="50" cy="48" r="6" />
      <circle className={card} cx="50" cy="74" r="6" />
    </>
  ),
} satisfies Record<string, ReactNode>

export type DrawingName = keyof typeof drawings

export function Drawing({ name }: { readonly name: DrawingName }) {
  return (
    <svg className={styles.drawing} viewBox="0 0 160 96" aria-hidden="true" data-drawing={name}>
      <ellipse className={soft} cx="80" cy="50" rx="76" ry="42" />
      {drawings[name]}
    </svg>
  )
}
