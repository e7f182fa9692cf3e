/** The images of a group: logos of QR codes, and pictures of sites. */
import { infiniteQueryOptions } from '@tanstack/react-query'
import { api, ask } from './client.js'

export function imagesQuery(group_guid: string) {
  return infiniteQueryOptions({
    queryKey: ['groups', group_guid, 'images'],
    queryFn: ({ pageParam }) => {
      const query = { size: 50, ...(pageParam && { search_after: pageParam }) }
      return ask(api.GET('/v4/groups/{group_guid}/images', { params: { path: { group_guid }, query } }))
    },
    initialPageParam: '',
    getNextPageParam: ({ pagination }) => pagination.search_after || undefined,
  })
}

/** On the host of the dashboard: its policy allows no other. */
export function imageFile(guid: string): string {
  return `/v4/images/${guid}/file`
}

export const acceptedTypes = 'image/png,image/jpeg,image/webp,image/svg+xml'
const maxNameLength = 255

export function uploadImage(group_guid: string, file: File) {
  const form = new FormData()
  form.set('group_guid', group_guid)
  form.set('name', file.name.slice(0, maxNameLength))
  form.set('file', file)
  // The generated type of a file is a text; what is sent is the form.
  return ask(api.POST('/v4/images', { body: { file: file.name }, bodySerializer: () => form }))
}
