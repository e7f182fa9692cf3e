import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, ask } from '../../api/client.js'
import { asDate } from '../../parts/format.js'
import { showError } from '../../parts/toasts.js'

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
    mutationFn: (annotation_guid: string) => {
      const params = { path: { group_guid, annotation_guid } }
      return ask(api.DELETE('/v4/groups/{group_guid}/annotations/{annotation_guid}', { params }))
    },
    onSuccess,
    onError: showError,
  })
  return { add, remove }
}
