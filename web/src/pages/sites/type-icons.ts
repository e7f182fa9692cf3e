import {
  AtSign,
  Contact,
  GalleryHorizontal,
  Image,
  LayoutGrid,
  Link2,
  type LucideIcon,
  Text,
  Video,
} from 'lucide-react'
import type { BlockType } from './model.js'

export const icons: Readonly<Record<BlockType, LucideIcon>> = {
  shortlink: Link2,
  social: AtSign,
  image: Image,
  text_block: Text,
  youtubeVideo: Video,
  digital_business_card: Contact,
  grid: LayoutGrid,
  carousel: GalleryHorizontal,
}
