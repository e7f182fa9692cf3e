/** The parts that the tests use of a library without types. */
declare module 'simple-oauth2' {
  interface Options {
    readonly client: { readonly id: string; readonly secret: string }
    readonly auth: { readonly tokenHost: string; readonly tokenPath: string; readonly revokePath?: string }
    readonly options?: { readonly authorizationMethod?: 'header' | 'body' }
  }
  interface Given {
    readonly token: Readonly<Record<string, unknown>>
    refresh(): Promise<Given>
    revokeAll(): Promise<void>
  }
  export class AuthorizationCode {
    constructor(options: Options)
    authorizeURL(parameters: { readonly redirect_uri: string; readonly state?: string }): string
    getToken(parameters: {
      readonly code: string
      readonly redirect_uri: string
      readonly code_verifier?: string
    }): Promise<Given>
  }
  export class ResourceOwnerPassword {
    constructor(options: Options)
    getToken(parameters: {
      readonly username: string
      readonly password: string
      readonly code?: string
    }): Promise<Given>
  }
}
