import type { ImageType } from '../../../core/images/image.js'
import type { Gs1 } from '../../../core/qr-contents/gs1.js'
import type { QrDesign } from '../../../core/qr-design/design.js'
import {
  archived,
  createdAt,
  createdBy,
  defaulted,
  flag,
  forgotten,
  groupGuid,
  id,
  json,
  key,
  moved,
  number,
  optional,
  position,
  text,
  time,
  times,
} from './table.js'

export const qrCodes = {
  // Equal bytes share a row.
  image_blobs: moved('nobody', 'where the bytes of images are stored; an import stores them anew', {
    sha256: key(text()),
    blob_key: text(),
  }),
  unused_blobs: moved('nobody', 'bytes of images that are about to be deleted', {
    blob_key: key(text()),
    due_at: time('When they may be deleted.'),
  }),
  images: archived('group', 'Uploaded images. The bytes are in images/<sha256>.', {
    guid: id,
    group_guid: groupGuid,
    sha256: text('The SHA-256 of the bytes, and the name of the file in images/.'),
    mime_type: text<ImageType>('image/png, image/jpeg or image/webp.'),
    width: number('In pixels.'),
    height: number('In pixels.'),
    size: number('In bytes.'),
    name: text('Its name.'),
    created_at: createdAt,
    created_by: createdBy,
  }),
  qr_codes: archived('group', 'QR codes, also deleted ones.', {
    id,
    group_guid: groupGuid,
    link_id: text('The link it leads to.'),
    address: text('The address in the code.'),
    title: forgotten(optional(text('Its title.'))),
    archived: defaulted(flag('Whether it is archived.')),
    design: forgotten(optional(json<QrDesign>('How it looks; empty for a plain one.'))),
    // Values alone were written before they were verified.
    gs1: forgotten(optional(json<Gs1 | Gs1['values']>('GS1 values.'))),
    created_by: createdBy,
    ...times,
    deleted_at: optional(time('When it was deleted.')),
    image_id: text('The id by which everybody may fetch its picture.'),
  }),
  qr_code_tags: archived('group', 'Tags of QR codes.', {
    code_id: key(text('The QR code.')),
    tag: key(text('The tag.')),
    position,
    group_guid: groupGuid,
    created_at: time('When the QR code was created.'),
  }),
  qr_code_images: archived('image', 'Which images QR codes use.', {
    image_guid: key(text('The image.')),
    qr_code_id: key(text('The QR code.')),
  }),
}
