/** The part of nsqjs 0.13 that the tests use; it has no types of its own. */
declare module 'nsqjs' {
  export interface NsqjsMessage {
    readonly id: string
    readonly attempts: number
    readonly body: Buffer
    json(): unknown
    finish(): void
    requeue(delay?: number, backoff?: boolean): void
    touch(): void
  }

  export interface NsqjsReader {
    on(event: 'message', listener: (message: NsqjsMessage) => void): this
    on(event: 'error', listener: (error: Error) => void): this
    on(event: 'nsqd_connected' | 'nsqd_closed' | 'ready' | 'not_ready', listener: () => void): this
    connect(): void
    close(): void
  }

  const nsqjs: { readonly Reader: new (topic: string, channel: string, options: object) => NsqjsReader }
  // biome-ignore lint/style/noDefaultExport: it is how the package is imported
  export default nsqjs
}
