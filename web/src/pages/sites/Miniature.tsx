/** A page in the size of a stamp: its colours, its top, and its first blocks. Drawn on 72 by 96. */
import type { ReactNode } from 'react'
import type { Appearance, Block } from './model.js'
import styles from './sites.module.css'
import { bannerColorOf, colorsOf } from './themes.js'

interface MiniatureProps {
  readonly appearance: Partial<Appearance>
  readonly blocks: readonly Pick<Block, 'block_id' | 'type' | 'content' | 'container_id'>[]
  readonly className?: string | undefined
}

/** So many links, where nothing else is known of a page. */
export function someLinks(count: number): MiniatureProps['blocks'] {
  return Array.from({ length: Math.min(5, Math.max(1, count)) }, (_, at) => ({
    block_id: String(at),
    type: 'shortlink',
    content: {},
  }))
}

const sizes = { xs: 8, sm: 11, med: 15, lg: 20, xl: 27 }
const left = 6
const across = 60

export function Miniature({ appearance, blocks, className = '' }: MiniatureProps) {
  const colors = colorsOf(appearance)
  const { header_appearance: header = {}, default_button_shape: shape = 'rounded' } = appearance
  const { banner_type: banner = 'none', text_location: place, title_alignment, title_size } = header
  const ink = colors.text_color
  const size = sizes[header.profile_image_size ?? 'med']
  const bannerEnd = banner === 'none' ? 8 : 26
  const isOnEdge = banner !== 'none' && header.profile_image_overflow
  const radius = { rectangle: 0, rounded: 2.5, pill: 5 }[shape]

  const textsAt = (y: number) => {
    const [width, height] = { xs: [24, 3], sm: [28, 3.5], med: [34, 4], lg: [42, 5] }[title_size ?? 'med'] ?? []
    const x = (wide: number) => (title_alignment === 'start' ? left + (place === 'contain' ? 3 : 0) : 36 - wide / 2)
    return (
      <g fill={ink}>
        <rect x={x(width ?? 0)} y={y} width={width} height={height} rx={1} />
        <rect x={x(26)} y={y + 7.5} width={26} height={2} rx={1} opacity={0.6} />
      </g>
    )
  }
  const picture = (y: number) => {
    const x = { left: left, center: 36 - size / 2, right: left + across - size }[
      header.profile_image_location ?? 'center'
    ]
    const rx = { round: size / 2, rounded_square: size / 5, square: 0 }[header.profile_image_shape ?? 'round']
    const edge = isOnEdge && { stroke: colors.background_color, strokeWidth: 1.5 }
    return (
      <rect x={x} y={y} width={size} height={size} rx={rx} fill={colors.default_button_background_color} {...edge} />
    )
  }
  const isContained = place === 'contain' && banner !== 'none'
  const pictureAt = place === 'top' ? bannerEnd + 16 : isOnEdge ? bannerEnd - size / 2 : bannerEnd + 2
  const textAt = isContained ? bannerEnd - 13 : place === 'top' ? bannerEnd + 3 : pictureAt + size + 4
  const background = `linear-gradient(${colors.background_color}, ${colors.bottom_background_color})`
  return (
    <svg
      viewBox="0 0 72 96"
      preserveAspectRatio="xMidYMin slice"
      className={`${styles.miniature} ${className}`}
      style={{ background }}
      aria-hidden="true"
    >
      {banner !== 'none' && (
        <Banner type={banner} ground={bannerColorOf(header)} ink={colors.default_button_background_color} />
      )}
      {textsAt(textAt)}
      {picture(pictureAt)}
      <g transform={`translate(0 ${Math.max(textAt + 14, pictureAt + size + 4)})`}>
        {drawn(blocks, { button: colors.default_button_background_color, ink, radius })}
      </g>
    </svg>
  )
}

type BannerType = Exclude<NonNullable<Appearance['header_appearance']>['banner_type'], undefined | 'none'>

function Banner({ type, ground, ink }: { readonly type: BannerType; readonly ground: string; readonly ink: string }) {
  const tint = { fill: ink, opacity: 0.25 }
  switch (type) {
    case 'hero':
      return (
        <svg width={72} height={26} aria-hidden="true">
          <rect width={72} height={26} fill={ground} />
          <circle cx={10} cy={28} r={16} {...tint} />
          <circle cx={62} cy={-2} r={14} {...tint} opacity={0.14} />
        </svg>
      )
    case 'rounded_up':
      return <path d="M0 0h72v18q-36 14-72 0z" fill={ground} stroke={ink} strokeOpacity={0.2} />
    case 'gradient':
      return [0.95, 0.7, 0.4, 0.15].map((opacity, at) => (
        <rect key={opacity} y={at * 6.5} width={72} height={6.5} fill={ground} opacity={opacity} />
      ))
    case 'square':
      return <rect x={left} y={5} width={across} height={21} fill={ground} stroke={ink} strokeOpacity={0.2} />
    case 'frame':
      return (
        <>
          <rect x={left} y={5} width={across} height={21} rx={4} fill={ground} />
          <rect x={left + 3} y={8} width={across - 6} height={15} rx={2} {...tint} />
        </>
      )
  }
}

interface Pen {
  readonly button: string
  readonly ink: string
  readonly radius: number
}

function drawn(blocks: MiniatureProps['blocks'], { button, ink, radius }: Pen): readonly ReactNode[] {
  let y = 0
  let tiles = 0
  const next = (height: number) => {
    const at = y
    y += height + 3
    return at
  }
  const inside = (id: string | undefined) => blocks.filter(({ container_id }) => (container_id || undefined) === id)
  const inOrder = inside(undefined).flatMap((block) => [block, ...inside(block.block_id)])
  return inOrder.flatMap(({ block_id: id, type, content, container_id }) => {
    const fill = content.layout === 'inline' && type === 'shortlink' ? { stroke: ink, fill: 'none' } : { fill: button }
    if (container_id) {
      const isSecond = tiles++ % 2 === 1
      const at = isSecond ? y - 31 : next(28)
      return [
        <rect key={id} x={isSecond ? 37.5 : left} y={at} width={28.5} height={28} rx={radius / 2} fill={button} />,
      ]
    }
    if (type === 'text_block')
      return [<rect key={id} x={20} y={next(2)} width={32} height={2} fill={ink} opacity={0.6} />]
    if (type === 'social' || type === 'grid' || type === 'carousel') return []
    const height = type === 'shortlink' ? 9 : 26
    return [<rect key={id} x={left} y={next(height)} width={across} height={height} rx={radius} {...fill} />]
  })
}
