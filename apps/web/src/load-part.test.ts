import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { loadPart } from './load-part'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const gone = () => Promise.reject(new TypeError('Failed to fetch dynamically imported module'))
/** A server that is away until this is called. */
const server = () => {
  let there = false
  vi.stubGlobal('fetch', () => (there ? Promise.resolve(new Response()) : gone()))
  return { start: () => void (there = true), isThere: () => there }
}

test('what a browser aborted is loaded again', async () => {
  server().start()
  let requests = 0
  const loaded = loadPart(() => (++requests === 3 ? Promise.resolve('page') : gone()))
  await vi.advanceTimersByTimeAsync(2000)
  expect(await loaded).toBe('page')
})

test('it waits for a server that does not respond, however long that takes', async () => {
  const { start, isThere } = server()
  let loaded: string | null = null
  void loadPart(() => (isThere() ? Promise.resolve('page') : gone())).then((part) => (loaded = part))
  await vi.advanceTimersByTimeAsync(600_000)
  expect(loaded).toBeNull()
  start()
  await vi.advanceTimersByTimeAsync(1000)
  expect(loaded).toBe('page')
})

test('what the server no longer has is reported as the browser did, so that the router knows to reload', async () => {
  server().start()
  const failure = loadPart(gone).catch((error: unknown) => error)
  await vi.advanceTimersByTimeAsync(2000)
  expect(await failure).toHaveProperty('message', 'Failed to fetch dynamically imported module')
})
