import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, ask } from '../../api/client.js'
import type { components } from '../../api/schema.js'
import { asDate } from '../../parts/format.js'
import { showError, showUndo } from '../../parts/toasts.js'
import { texts } from '../../texts/texts.js'

type Annotation = components['schemas']['Annotation']

export function annotationsQuery(group_guid: string) {
  return queryOptions({
    queryKey: ['groups', group_guid, 'annotations'],
    queryFn: async () =>
      (await ask(api.GET('/v4/groups/{group_guid}/annotations', { params: { path: { group_guid } } }))).annotations.map(
        (annotation) => ({ ...annotation, at: asDate(annotation.happened_at) }),
      ),
    staleTime: 60_000,
  })
}

export function useChangeAnnotations(group_guid: string) {
  const client = useQueryClient()
  const onSuccess = () => client.invalidateQueries({ queryKey: annotationsQuery(group_guid).queryKey })
  const add = useMutation({
    mutationFn: (body: { readonly happened_at: string; readonly text: string }) =>
      ask(api.POST('/v4/groups/{group_guid}/annotations', { params: { path: { group_guid } }, body })),
    onSuccess,
  })
  const remove = useMutation({
    mutationFn: ({ guid }: Annotation) => {
      const params = { path: { group_guid, annotation_guid: guid } }
      return ask(api.DELETE('/v4/groups/{group_guid}/annotations/{annotation_guid}', { params }))
    },
    onSuccess: (_, { happened_at, text }) => {
      showUndo(texts.analytics.annotations.removed(text), () => add.mutate({ happened_at, text }))
      return onSuccess()
    },
    onError: showError,
  })
  return { add, remove }
}
