import { createHash, createHmac } from 'node:crypto'

export interface S3Credentials {
  readonly accessKey: string
  readonly secretKey: string
  readonly region: string
}

export interface UnsignedRequest {
  readonly method: string
  /** Percent-encoded, as it is sent. */
  readonly path: string
  /** In lower case, with `host`, `x-amz-date` and `x-amz-content-sha256`. All of them are signed. */
  readonly headers: Readonly<Record<string, string>>
}

/** The Authorization header of a request without a query (AWS Signature Version 4). */
export function authorizationFor({ method, path, headers }: UnsignedRequest, credentials: S3Credentials): string {
  const { accessKey, secretKey, region } = credentials
  const names = Object.keys(headers).sort()
  const signedHeaders = names.join(';')
  const lines = names.map((name) => `${name}:${headers[name]}`)
  const request = [method, path, '', ...lines, '', signedHeaders, headers['x-amz-content-sha256']].join('\n')

  const time = headers['x-amz-date'] ?? ''
  const scope = [time.slice(0, 8), region, 's3', 'aws4_request']
  const text = ['AWS4-HMAC-SHA256', time, scope.join('/'), sha256(request)].join('\n')
  const key = scope.reduce<string | Buffer>((parent, part) => hmac(parent, part), `AWS4${secretKey}`)
  const signature = hmac(key, text).toString('hex')
  const credential = [accessKey, ...scope].join('/')
  return `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${signedHeaders}, Signature=${signature}`
}

export function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}
