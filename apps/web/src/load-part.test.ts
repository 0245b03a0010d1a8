import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { loadPart } from './load-part'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const fail = () => Promise.reject(new TypeError('Failed to fetch dynamically imported module'))
/** A server that does not respond until `start` is called. */
const server = () => {
  let responds = false
  vi.stubGlobal('fetch', () => (responds ? Promise.resolve(new Response()) : fail()))
  return { start: () => void (responds = true), isResponding: () => responds }
}

test('a request that the browser aborted is retried', async () => {
  server().start()
  let requests = 0
  const loaded = loadPart(() => (++requests === 3 ? Promise.resolve('page') : fail()))
  await vi.advanceTimersByTimeAsync(2000)
  expect(await loaded).toBe('page')
})

test('while the server does not respond, loading waits without a time limit', async () => {
  const { start, isResponding } = server()
  let loaded: string | null = null
  void loadPart(() => (isResponding() ? Promise.resolve('page') : fail())).then((part) => (loaded = part))
  await vi.advanceTimersByTimeAsync(600_000)
  expect(loaded).toBeNull()
  start()
  await vi.advanceTimersByTimeAsync(1000)
  expect(loaded).toBe('page')
})

test('a file that no longer exists rejects with the browser’s error, so that the router reloads', async () => {
  server().start()
  const failure = loadPart(fail).catch((error: unknown) => error)
  await vi.advanceTimersByTimeAsync(2000)
  expect(await failure).toHaveProperty('message', 'Failed to fetch dynamically imported module')
})
