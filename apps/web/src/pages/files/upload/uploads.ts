import { files } from '@flotilla/contract/jobs/files'
import * as z from 'zod/mini'
import { toApiError } from '@flotilla/client/api-error'
import { call } from '../../../api/call'
import { randomId } from '../../../random-id'
import { pageSettings } from '../../../session/page-settings'
import { session } from '../../../session/store'
import { createStore } from '../../../store'
import { foldersOn, nameOf, parentOf } from '../places'
import { sendFile } from './send-file'
import type { UploadTarget } from './send-file'

export type Upload = {
  id: string
  cluster: string
  path: string
  size: number
  lastModified: number
  sent: number
  /** Bytes per second over the last few seconds. */
  speed: number
  /**
   * `exists`: everything arrived, but the name is taken. `interrupted`: the page was closed; the file must be chosen
   * again.
   */
  state: 'waiting' | 'sending' | 'offline' | 'paused' | 'exists' | 'failed' | 'done' | 'interrupted'
  problem: string | null
  replace: boolean
}
export type Chosen = { file: File; path: string; replace: boolean }

const AT_ONCE = 2

/** Unfinished uploads as stored in the browser, without the files, which a page cannot reopen by itself. */
const Kept = z.array(
  z.object({
    cluster: z.string(),
    path: z.string(),
    size: z.number(),
    lastModified: z.number(),
    replace: z.boolean(),
  }),
)
const kept = pageSettings('uploads', Kept)

/** All uploads. They are stored outside the pages, so that they continue while the user is on another page. */
export const uploads = createStore<readonly Upload[]>(
  (kept.load() ?? []).map((one) => ({
    ...one,
    id: randomId(),
    sent: 0,
    speed: 0,
    state: 'interrupted',
    problem: null,
  })),
)
/** Bytes per second of all uploads together. */
export const uploadRate = createStore(0)
const sources = new Map<string, File>()
const running = new Map<string, AbortController>()
/** The IDs of uploads of which this browser has sent a part, so that resuming is safe. */
const started = new Set<string>(uploads.get().map(({ id }) => id))
const madeFolders = new Set<string>()

const set = (id: string, changes: Partial<Upload>) => {
  uploads.set(uploads.get().map((one) => (one.id === id ? { ...one, ...changes } : one)))
  if (changes.state) keep()
}
const keep = () =>
  kept.save(
    uploads
      .get()
      .filter(({ state }) => state !== 'done')
      .map(({ cluster, path, size, lastModified, replace }) => ({
        cluster,
        path,
        size,
        lastModified,
        replace,
      })),
  )

/** Starts uploads. An interrupted upload whose file is chosen again resumes. */
export function addUploads(cluster: string, chosen: readonly Chosen[]): void {
  const now = [...uploads.get()]
  for (const { file, path, replace } of chosen) {
    const before = now.findIndex(
      (one) => one.cluster === cluster && one.path === path && one.state !== 'done' && !running.has(one.id),
    )
    const same = now[before]
    const isSameFile = same?.size === file.size && same.lastModified === file.lastModified
    const upload: Upload = {
      id: randomId(),
      cluster,
      path,
      size: file.size,
      lastModified: file.lastModified,
      sent: 0,
      speed: 0,
      state: 'waiting',
      problem: null,
      replace: replace || (same?.replace ?? false),
    }
    if (isSameFile && started.has(same.id)) started.add(upload.id)
    if (before >= 0) now.splice(before, 1)
    sources.set(upload.id, file)
    now.push(upload)
  }
  uploads.set(now)
  keep()
  startNext()
}

export const pauseUpload = (id: string): void => {
  running.get(id)?.abort()
  set(id, { state: 'paused', speed: 0 })
}
export const resumeUpload = (id: string): void => {
  set(id, { state: 'waiting', problem: null })
  startNext()
}
export const replaceExisting = (id: string): void => {
  set(id, { state: 'waiting', replace: true })
  startNext()
}
export const replaceAllExisting = (): void =>
  uploads.get().forEach(({ id, state }) => state === 'exists' && replaceExisting(id))
/** Removes an upload from the list. A partial file stays hidden on the server until it is overwritten. */
export function forgetUpload(id: string): void {
  running.get(id)?.abort()
  sources.delete(id)
  uploads.set(uploads.get().filter((one) => one.id !== id))
  keep()
  startNext()
}
export const forgetFinished = (): void => uploads.set(uploads.get().filter(({ state }) => state !== 'done'))

export const isInProgress = ({ state }: Upload): boolean =>
  state === 'waiting' || state === 'sending' || state === 'offline'

function startNext(): void {
  for (const one of uploads.get()) {
    if (running.size >= AT_ONCE) return
    if (one.state === 'waiting' && !running.has(one.id)) void run(one)
  }
}

async function run({ id, cluster, path, replace }: Upload): Promise<void> {
  const file = sources.get(id)
  if (!file) return set(id, { state: 'interrupted' })
  const stop = new AbortController()
  running.set(id, stop)
  set(id, { state: 'sending' })
  const speed = speedometer()
  let before = started.has(id) ? null : 0
  try {
    await makeFolders(cluster, parentOf(path))
    await sendFile(file, targetOf(cluster, path, file.size, replace, stop.signal), {
      resume: started.has(id),
      signal: stop.signal,
      onSent: (sent) => {
        started.add(id)
        // The first value of a resumed upload includes bytes from before, which do not count toward the rate.
        if (before !== null) uploadRate.set(overall((arrived += Math.max(0, sent - before))))
        before = sent
        set(id, { sent, speed: speed(sent) })
      },
      onWaiting: (waiting) => {
        const wanted = waiting ? 'offline' : 'sending'
        if (uploads.get().some((one) => one.id === id && one.state !== wanted)) set(id, { state: wanted })
      },
    })
    sources.delete(id)
    set(id, { state: 'done', sent: file.size, speed: 0 })
  } catch (thrown) {
    if (!stop.signal.aborted) {
      const { message, reason } = toApiError(thrown)
      set(id, { state: reason === 'exists' ? 'exists' : 'failed', problem: message, speed: 0 })
    }
  } finally {
    if (running.get(id) === stop) running.delete(id)
    startNext()
    if (running.size === 0) uploadRate.set(0)
  }
}

/** Tolerance for clock differences. If it is too small, the user only has to confirm once more. */
const CLOCKS_MS = 60_000

function targetOf(
  cluster: string,
  path: string,
  size: number,
  replace: boolean,
  signal: AbortSignal,
): UploadTarget {
  const since = Date.now() - CLOCKS_MS
  return {
    received: async () => (await call(files.uploaded, { cluster, query: { path } }, { signal })).received,
    isThere: async () => {
      const { entries } = await call(files.list, { cluster, query: { path: parentOf(path) } }, { signal })
      return entries.some(
        (entry) => entry.name === nameOf(path) && entry.size === size && entry.modifiedAt >= since,
      )
    },
    send: async (blob, { offset, final }) => {
      const bytes = new Uint8Array(await blob.arrayBuffer())
      const query = {
        path,
        offset,
        final: final ? 'true' : 'false',
        replace: replace ? 'true' : 'false',
      } as const
      await call(files.upload, { cluster, query, bytes }, { signal })
    },
  }
}

/** Creates a folder and its parents, unless they exist. */
async function makeFolders(cluster: string, path: string): Promise<void> {
  for (const folder of foldersOn(path)) {
    const key = `${cluster} ${folder}`
    if (madeFolders.has(key)) continue
    await call(files.makeFolder, { cluster, body: { path: folder } }).catch((error: unknown) => {
      if (toApiError(error).reason !== 'exists') throw error
    })
    madeFolders.add(key)
  }
}

/** Creates dropped folders that are empty, because no upload creates them. */
export async function makeEmptyFolders(cluster: string, paths: readonly string[]): Promise<void> {
  for (const path of paths) await makeFolders(cluster, path)
}

/** Marks the folders on the page as existing. */
export const markFolderCreated = (cluster: string, path: string): void => {
  // Folders that were created earlier may have been deleted since.
  if (running.size === 0) madeFolders.clear()
  for (const folder of foldersOn(path)) madeFolders.add(`${cluster} ${folder}`)
}

function speedometer(): (sent: number) => number {
  let points: { at: number; sent: number }[] = []
  return (sent) => {
    const at = performance.now()
    points = [...points.filter((point) => at - point.at < 4000), { at, sent }]
    const [first] = points
    return first && at > first.at ? ((sent - first.sent) / (at - first.at)) * 1000 : 0
  }
}

let arrived = 0
const overall = speedometer()

// Another user's session must not continue this user's uploads.
session.subscribe(() => {
  if (session.get().status === 'in' || uploads.get().length === 0) return
  for (const stop of running.values()) stop.abort()
  sources.clear()
  madeFolders.clear()
  uploads.set([])
})
