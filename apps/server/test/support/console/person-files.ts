import { api } from '@flotilla/contract/api'
import type { Endpoint } from '@flotilla/contract/endpoint'
import { expect } from 'vitest'
import type { Console } from './console'

type Refusal = { code: string; message: string; reason?: string; fields?: Record<string, string> }
type Owner = { server: Console; cluster: string; token: string }

/** What someone does with their files on a cluster, of a server that is started later. */
export function personFiles(owner: () => Owner) {
  const url = ({ path }: Endpoint, query: Record<string, string> = {}) =>
    `${path.replace(':cluster', owner().cluster)}?${new URLSearchParams(query).toString()}`
  const call = <T>(endpoint: Endpoint, query: Record<string, string>, body?: unknown) =>
    owner().server.call<T & Refusal>(endpoint.method, url(endpoint, query), { as: owner().token, body })
  const list = (folder: string, token = owner().token) =>
    owner().server.must(api.files.list, { cluster: owner().cluster, query: { path: folder } }, { token })
  const fetched = (file: string) =>
    fetch(owner().server.url + url(api.files.download, { path: file }), {
      headers: { authorization: `Bearer ${owner().token}` },
    })
  return {
    url,
    list,
    names: async (folder: string) => (await list(folder)).entries.map(({ name }) => name).toSorted(),
    write: (file: string, text: string, modifiedAt?: number | null) =>
      call<{ modifiedAt: number; size: number }>(api.files.writeText, {}, { path: file, text, modifiedAt }),
    read: (file: string) =>
      call<{ text: string; size: number; modifiedAt: number; binary: boolean }>(api.files.readText, {
        path: file,
      }),
    makeFolder: (path: string) => call(api.files.makeFolder, {}, { path }),
    rename: (from: string, to: string) => call(api.files.rename, {}, { from, to }),
    remove: (paths: string[]) => call(api.files.remove, {}, { paths }),
    setPermissions: (paths: string[], permissions: unknown) =>
      call(api.files.setPermissions, {}, { paths, permissions }),
    upload: (file: string, bytes: Uint8Array, query: Record<string, string>) =>
      call<{ received: number }>(api.files.upload, { path: file, ...query }, bytes),
    received: async (file: string) => {
      const { server, cluster, token } = owner()
      return (await server.must(api.files.uploaded, { cluster, query: { path: file } }, { token })).received
    },
    /** The answer as it comes, with its headers. */
    fetched,
    download: async (file: string): Promise<Buffer> => {
      const response = await fetched(file)
      expect(response.status).toBe(200)
      return Buffer.from(await response.arrayBuffer())
    },
  }
}
