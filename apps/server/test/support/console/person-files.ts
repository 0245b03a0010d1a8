import { api } from '@flotilla/contract/api'
import { createSend } from '@flotilla/client/client'
import type { Endpoint, Sent } from '@flotilla/contract/endpoint'
import type { Console } from './console'

type Owner = { server: Console; cluster: string; token: string }
type UploadQuery = Omit<NonNullable<Sent<typeof api.files.upload>['query']>, 'path'>

/** File operations of a user on a cluster; `owner` is a function because the server is started later. */
export function personFiles(owner: () => Owner) {
  /** The URL of an endpoint, for requests that the client cannot send. */
  const url = ({ path }: Endpoint, query: Record<string, string> = {}) =>
    `${path.replace(':cluster', owner().cluster)}?${new URLSearchParams(query).toString()}`
  const answer = <E extends Endpoint>(endpoint: E, input: Sent<E>) =>
    owner().server.answer(endpoint, input, { token: owner().token })
  const on = () => ({ cluster: owner().cluster })
  const list = (folder: string, token = owner().token) =>
    owner().server.must(api.files.list, { cluster: owner().cluster, query: { path: folder } }, { token })
  const send = createSend((path, init) => fetch(owner().server.url + path, init))
  const fetched = (file: string) =>
    send(api.files.download, { ...on(), query: { path: file } }, { token: owner().token })
  return {
    url,
    list,
    names: async (folder: string) => (await list(folder)).entries.map(({ name }) => name).toSorted(),
    write: (file: string, text: string, modifiedAt?: number | null) =>
      answer(api.files.writeText, { ...on(), body: { path: file, text, modifiedAt } }),
    read: (file: string) => answer(api.files.readText, { ...on(), query: { path: file } }),
    makeFolder: (path: string) => answer(api.files.makeFolder, { ...on(), body: { path } }),
    rename: (from: string, to: string) => answer(api.files.rename, { ...on(), body: { from, to } }),
    remove: (paths: string[]) => answer(api.files.remove, { ...on(), body: { paths } }),
    setPermissions: (paths: string[], permissions: number) =>
      answer(api.files.setPermissions, { ...on(), body: { paths, permissions } }),
    upload: (file: string, bytes: Uint8Array, query: UploadQuery) =>
      answer(api.files.upload, { ...on(), query: { path: file, ...query }, bytes }),
    received: async (file: string) => {
      const { server, cluster, token } = owner()
      return (await server.must(api.files.uploaded, { cluster, query: { path: file } }, { token })).received
    },
    /** The raw reply, with its headers. */
    fetched,
    download: async (file: string): Promise<Buffer> => Buffer.from(await (await fetched(file)).arrayBuffer()),
  }
}
