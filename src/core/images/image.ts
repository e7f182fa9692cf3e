/** A picture that a group uploaded, such as the logo of a QR code. What was uploaded is re-encoded; this describes the result. */
export interface Image {
  /** Whoever knows it can fetch the file, so it is longer than other guids (docs/api/images.md#the-file). */
  readonly guid: string
  readonly groupGuid: string
  /** Of the group at this moment. */
  readonly organizationGuid: string
  /** Of the stored bytes, in hex. */
  readonly sha256: string
  /** Where the bytes are in `Blobs`; images with the same bytes share it. */
  readonly blobKey: string
  readonly mimeType: ImageType
  /** Pixels; of an SVG, user units rounded up. */
  readonly width: number
  readonly height: number
  /** Bytes. */
  readonly size: number
  /** Empty when none was given. */
  readonly name: string
  readonly createdAt: number
  readonly createdBy: string
}

export type ImageType = 'image/png' | 'image/jpeg' | 'image/webp' | 'image/svg+xml'
