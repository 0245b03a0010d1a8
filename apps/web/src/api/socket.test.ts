import { jobOutput } from '@flotilla/contract/jobs/output'
import { terminals } from '@flotilla/contract/clusters/terminal'
import { afterEach, expect, it, vi } from 'vitest'
import { atMostEvery } from './live'
import { callSocket, deliver, onStream, setSocket } from './socket'

afterEach(() => {
  setSocket(null)
  vi.useRealTimers()
})

it('fails with a message while there is no connection', async () => {
  expect(await callSocket(jobOutput.unfollow, { follow: 'a' })).toEqual({
    ok: false,
    message: 'Not connected to the server',
  })
})

it('fails a request that is never acknowledged', async () => {
  setSocket({ timeout: () => ({ emitWithAck: () => Promise.reject(new Error('timeout')) }) })
  expect(await callSocket(terminals.close, { terminal: 't' })).toMatchObject({ ok: false })
})

it('delivers stream chunks to their listeners, and nothing else', () => {
  const received: string[] = []
  const stop = onStream('terminalOutput', ({ data }) => received.push(data))
  expect(deliver('terminalOutput', { terminal: 't', data: 'a' })).toBe(true)
  expect(deliver('change', { changed: 'nodes', seq: 1 })).toBe(false)
  stop()
  deliver('terminalOutput', { terminal: 't', data: 'b' })
  expect(received).toEqual(['a'])
})

it('acts immediately, and once more for everything that arrived in the meantime', () => {
  vi.useFakeTimers()
  const acted: string[] = []
  const notify = atMostEvery(200, (kind: string) => acted.push(kind))
  notify('nodes')
  notify('nodes')
  notify('nodes')
  notify('clusters')
  expect(acted).toEqual(['nodes', 'clusters'])
  vi.advanceTimersByTime(200)
  expect(acted).toEqual(['nodes', 'clusters', 'nodes'])
  vi.advanceTimersByTime(1000)
  expect(acted).toHaveLength(3)
})
