/** The filter looks into paths and summaries; Swagger UI's own looks only at tags. */
import type { SwaggerPlugin } from 'swagger-ui-dist/swagger-ui-es-bundle.js'

interface Immutable {
  get(name: string): unknown
  getIn(names: readonly string[]): unknown
  set(name: string, value: unknown): Immutable
  filter(keep: (each: Immutable, key: string) => boolean): Immutable & { readonly size: number }
  map(change: (each: Immutable, key: string) => Immutable): Immutable
}

export const searchPlugin: SwaggerPlugin = () => ({
  fn: {
    opsFilter(tags: Immutable, phrase: string): unknown {
      const words = phrase.toLowerCase().split(/\s+/).filter(Boolean)
      const matches = (operation: Immutable, tag: string) => {
        const parts = [tag, operation.get('method'), operation.get('path'), operation.getIn(['operation', 'summary'])]
        const text = parts.join(' ').toLowerCase()
        return words.every((word) => text.includes(word))
      }
      return tags
        .map((tag, name) =>
          tag.set(
            'operations',
            (tag.get('operations') as Immutable).filter((each) => matches(each, name)),
          ),
        )
        .filter((tag) => (tag.get('operations') as { readonly size: number }).size > 0)
    },
  },
})
