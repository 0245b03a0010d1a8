import { api } from '@flotilla/contract/api'
import { expect } from 'vitest'
import type { Console } from './console'

type Refusal = { code: string; message: string; reason?: string; fields?: Record<string, string> }
type Owner = { server: Console; cluster: string; token: string }

/** What someone does with their files on a cluster, of a server that is started later. */
export function personFiles(owner: () => Owner) {
  const url = (call: string, query: Record<string, string> = {}) =>
    `/api/files/${owner().cluster}/${call}?${new URLSearchParams(query).toString()}`
  const call = <T>(method: string, address: string, body?: unknown) =>
    owner().server.call<T & Refusal>(method, address, { as: owner().token, body })
  const list = (folder: string, token = owner().token) =>
    owner().server.must(api.files.list, { cluster: owner().cluster, query: { path: folder } }, { token })
  const fetched = (file: string) =>
    fetch(owner().server.url + url('download', { path: file }), {
      headers: { authorization: `Bearer ${owner().token}` },
    })
  return {
    url,
    list,
    names: async (folder: string) => (await list(folder)).entries.map(({ name }) => name).toSorted(),
    write: (file: string, text: string, modifiedAt?: number | null) =>
      call<{ modifiedAt: number; size: number }>('PUT', url('text'), { path: file, text, modifiedAt }),
    read: (file: string) =>
      call<{ text: string; size: number; modifiedAt: number; binary: boolean }>(
        'GET',
        url('text', { path: file }),
      ),
    post: (name: string, body: object) => call('POST', url(name), body),
    upload: (file: string, bytes: Uint8Array, query: Record<string, string>) =>
      call<{ received: number }>('PUT', url('upload', { path: file, ...query }), bytes),
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
