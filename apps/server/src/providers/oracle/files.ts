import type { DefaultRequestSigner } from 'oci-common'
import * as z from 'zod/mini'
import { signedGet } from './signed-get'

export const FILES = 'https://filestorage.{region}.oci.{secondLevelDomain}'

/** Yields the pages of a File Storage list. */
export const makeFiles = (signer: DefaultRequestSigner, endpoint: string) =>
  async function* (list: 'mountTargets' | 'exports', query: Record<string, string>, signal: AbortSignal) {
    const url = new URL(`${endpoint}/20171215/${list}`)
    url.search = new URLSearchParams({ ...query, limit: '100' }).toString()
    for (;;) {
      const { body, nextPage } = await signedGet(signer, url, signal)
      yield z.array(z.unknown()).parse(body)
      if (!nextPage) return
      url.searchParams.set('page', nextPage)
    }
  }
