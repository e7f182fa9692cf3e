/** What a page is made of, and what its parts need while they are written. */
import type { Image } from '../../core/images/image.js'
import type { Target } from '../../core/links/link.js'
import type { Crop, SiteDocument } from '../../core/sites/site.js'
import type { VisibleBlock } from '../../core/sites/visible.js'
import { type Html, html } from './html.js'
import type { StylePart } from './style.js'

export interface PageContent {
  readonly guid: string
  /** The present address. */
  readonly url: string
  readonly document: SiteDocument
  readonly blocks: readonly VisibleBlock[]
  /** Those that are there, by their guid. */
  readonly images: ReadonlyMap<string, Image>
  readonly imageUrl: (guid: string) => string
  /** The short URL of a link; of one that is not made yet, where it leads. */
  readonly urlOf: (target: Target) => string
  /** The picture that other sites show with a link to the page. */
  readonly previewUrl: string
}

export interface PictureOptions {
  readonly alt: string
  readonly crop?: Crop | undefined
  /** `<width>:<height>`. */
  readonly ratio?: string | undefined
  readonly className?: string
  /** Seen at first. */
  readonly isFirst?: boolean
}

export class Writing {
  /** The parts of the style sheet that the page needs. */
  readonly styles = new Set<StylePart>()
  /** Rules for single elements. */
  readonly rules: string[] = []
  readonly content: PageContent

  constructor(content: PageContent) {
    this.content = content
  }

  uses(...parts: readonly StylePart[]): void {
    for (const part of parts) this.styles.add(part)
  }

  /** A class with declarations of its own. The caller has checked their values. */
  ownClass(declarations: string, ofImage?: string): string {
    const name = `o${this.rules.length}`
    this.rules.push(`.${name}{${declarations}}${ofImage === undefined ? '' : `.${name} img{${ofImage}}`}`)
    return name
  }

  /** The short URL of a link, which counts the visitor as one of this page. */
  button(target: Target): string {
    const url = this.content.urlOf(target)
    return target.linkId === undefined ? url : `${url}?r=${this.content.guid}`
  }

  /** Undefined when the image is gone. */
  picture(guid: string | undefined, options: PictureOptions): Html | undefined {
    const image = this.image(guid)
    if (image === undefined) return undefined
    const { alt, crop, ratio, className, isFirst = false } = options
    const img = (name?: string) =>
      html`<img${name !== undefined && html` class="${name}"`} src="${this.content.imageUrl(image.guid)}" width="${image.width}" height="${image.height}" alt="${alt}"${!isFirst && html` loading="lazy"`}>`
    const shape = ratio === undefined ? undefined : ratioOf(ratio)
    if (crop === undefined && shape === undefined) return img(className)
    this.uses('cropped')
    const own = this.ownClass(...cropRules(image, crop ?? whole, shape))
    return html`<span class="cr ${className === undefined ? own : `${className} ${own}`}">${img()}</span>`
  }

  /** A class that tiles its element with the image. */
  tiles(guid: string | undefined): string | undefined {
    const image = this.image(guid)
    return image && this.ownClass(`background:url("${this.content.imageUrl(image.guid)}") center/7rem`)
  }

  image(guid: string | undefined): Image | undefined {
    return guid === undefined ? undefined : this.content.images.get(guid)
  }
}

const whole: Crop = { left: 0, top: 0, right: 1, bottom: 1 }

function ratioOf(text: string): number | undefined {
  const [, width, height] = /^(\d{1,4}(?:\.\d+)?)\s*[:/]\s*(\d{1,4}(?:\.\d+)?)$/.exec(text) ?? []
  const ratio = Number(width) / Number(height)
  return ratio >= 0.1 && ratio <= 10 ? ratio : undefined
}

/** An image that is larger than the element that shows a part of it. */
function cropRules({ width, height }: Image, crop: Crop, shape: number | undefined): [element: string, image: string] {
  const across = Math.max(0.01, crop.right - crop.left)
  const down = Math.max(0.01, crop.bottom - crop.top)
  const percent = (share: number) => `${Math.round(share * 10_000) / 100}%`
  const ratio = Math.round((shape ?? (width * across) / (height * down)) * 1000) / 1000
  const size = `width:${percent(1 / across)};height:${percent(1 / down)}`
  const place = `left:${percent(-crop.left / across)};top:${percent(-crop.top / down)}`
  // Of an element in another shape than the part: the middle of the part stays in the middle.
  const middle = `${percent((crop.left + crop.right) / 2)} ${percent((crop.top + crop.bottom) / 2)}`
  return [`aspect-ratio:${ratio}`, `${size};${place};object-position:${middle}`]
}
