/**
 * Writes answers by their schemas. The code for each is made when it is first needed: making them all took half of the
 * time in which the service starts, and most services use a few of them.
 */
import SerializerSelector from '@fastify/fast-json-stringify-compiler'

export const buildSerializer: SerializerSelector.SerializerFactory = (sharedSchemas, options) => {
  const compile = SerializerSelector()(sharedSchemas, options)
  return (route) => {
    let serialize: SerializerSelector.Serializer | undefined
    return (answer) => {
      serialize ??= compile(route)
      return serialize(answer)
    }
  }
}
