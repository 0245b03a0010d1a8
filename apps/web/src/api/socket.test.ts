import { jobOutput } from '@flotilla/contract/jobs/output'
import { terminals } from '@flotilla/contract/clusters/terminal'
import { afterEach, expect, it, vi } from 'vitest'
import { atMostEvery } from './live'
import { askSocket, deliver, onStream, setSocket } from './socket'

afterEach(() => {
  setSocket(null)
  vi.useRealTimers()
})

it('refuses in words while there is no connection', async () => {
  expect(await askSocket(jobOutput.unfollow, { follow: 'a' })).toEqual({
    ok: false,
    message: 'Not connected to the server',
  })
})

it('answers a request that is never acknowledged', async () => {
  setSocket({ timeout: () => ({ emitWithAck: () => Promise.reject(new Error('timeout')) }) })
  expect(await askSocket(terminals.close, { terminal: 't' })).toMatchObject({ ok: false })
})

it('gives pieces of a stream to those who listen, and nothing else', () => {
  const heard: string[] = []
  const stop = onStream('terminalOutput', ({ data }) => heard.push(data))
  expect(deliver('terminalOutput', { terminal: 't', data: 'a' })).toBe(true)
  expect(deliver('change', { changed: 'nodes', seq: 1 })).toBe(false)
  stop()
  deliver('terminalOutput', { terminal: 't', data: 'b' })
  expect(heard).toEqual(['a'])
})

it('acts at once, and once more for all that came meanwhile', () => {
  vi.useFakeTimers()
  const acted: string[] = []
  const tell = atMostEvery(200, (kind: string) => acted.push(kind))
  tell('nodes')
  tell('nodes')
  tell('nodes')
  tell('clusters')
  expect(acted).toEqual(['nodes', 'clusters'])
  vi.advanceTimersByTime(200)
  expect(acted).toEqual(['nodes', 'clusters', 'nodes'])
  vi.advanceTimersByTime(1000)
  expect(acted).toHaveLength(3)
})
