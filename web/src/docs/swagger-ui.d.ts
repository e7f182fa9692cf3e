declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  /** Swagger UI brings its own React. */
  export interface SwaggerReact {
    createElement(type: unknown, props: object, ...children: unknown[]): unknown
    useState<Value>(first: Value): readonly [Value, (next: Value) => void]
  }
  export type SwaggerPlugin = (system: { readonly React: SwaggerReact }) => object
  export interface SwaggerRequest {
    readonly headers: Record<string, string>
  }
  export interface SwaggerOptions {
    readonly dom_id: string
    readonly spec: object
    readonly plugins?: readonly SwaggerPlugin[]
    readonly requestInterceptor?: (request: SwaggerRequest) => SwaggerRequest
    readonly [option: string]: unknown
  }
  // biome-ignore lint/style/noDefaultExport: that is how the package exports it.
  export default function SwaggerUI(options: SwaggerOptions): unknown
}
