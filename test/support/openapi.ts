/** An OpenAPI document with the parameters and responses that operations share written out; references to schemas stay. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into documents of every shape
export function writtenOut(document: any): any {
  const shared = document.components
  return JSON.parse(JSON.stringify(document), (_key, value) => {
    const [, kind = '', name = ''] = /^#\/components\/(parameters|responses)\/(.*)$/.exec(value?.$ref ?? '') ?? []
    return kind === '' ? value : shared[kind][name]
  })
}
