import { ApiError } from '@flotilla/client/api-error'
import type { OutputSearch } from '@flotilla/contract/jobs/output-search'
import { describe, expect, it, vi } from 'vitest'
import { openSearch } from './search-run'

const match = (line: number) => ({ line, offset: line * 10, length: 1, text: 'x', at: 0 })
const reply = (changes: Partial<OutputSearch>): OutputSearch => ({
  matches: [],
  next: 0,
  nextLine: 1,
  size: 1000,
  done: false,
  restarted: false,
  ...changes,
})
const lines = (from: number, count: number) => Array.from({ length: count }, (_, at) => match(from + at))

/** A search whose steps return these replies, one after the other. */
function searchOf(...replies: (OutputSearch | Error)[]) {
  const requests: [number, number][] = []
  const run = openSearch(async (from, line) => {
    requests.push([from, line])
    const next = replies.shift()
    if (!next || next instanceof Error) throw next ?? new Error('unexpected request')
    return next
  })
  const untilStatus = (status: string) => vi.waitFor(() => expect(run.state.get().status).toBe(status))
  return { run, requests, untilStatus }
}

describe('a search', () => {
  it('continues step by step to the end and reports its progress', async () => {
    const { run, requests, untilStatus } = searchOf(
      reply({ next: 400, nextLine: 41, matches: [match(3)] }),
      reply({ next: 995, nextLine: 99, matches: [match(50)], done: true }),
    )
    run.start()
    await untilStatus('done')
    expect(requests).toEqual([
      [0, 1],
      [400, 41],
    ])
    expect(run.state.get()).toMatchObject({ searched: 1000, matches: [{ line: 3 }, { line: 50 }] })
  })

  it('stops after a page of matches until it is resumed', async () => {
    const { run, untilStatus } = searchOf(
      reply({ next: 100, matches: lines(1, 100) }),
      reply({ next: 900, matches: lines(101, 5), done: true }),
    )
    run.start()
    await untilStatus('more')
    expect(run.state.get().matches).toHaveLength(100)
    run.resume()
    await untilStatus('done')
    expect(run.state.get().matches).toHaveLength(105)
  })

  it('restarts if the file was truncated, and reports an error', async () => {
    const refused = new ApiError({ status: 403, code: 'forbidden', message: 'No longer' })
    const { run, untilStatus, requests } = searchOf(
      reply({ next: 500, matches: [match(1)] }),
      reply({ restarted: true, size: 10 }),
      refused,
    )
    run.start()
    await untilStatus('failed')
    expect(requests.at(-1)).toEqual([0, 1])
    expect(run.state.get()).toMatchObject({ matches: [], problem: 'No longer' })
  })

  it('ignores replies that arrive after it was stopped', async () => {
    let respond = (_: OutputSearch) => {}
    let aborted: AbortSignal | undefined
    const run = openSearch((_from, _line, signal) => {
      aborted = signal
      return new Promise((resolve) => (respond = resolve))
    })
    run.start()
    run.stop()
    expect(aborted?.aborted).toBe(true)
    respond(reply({ matches: [match(1)], done: true }))
    await Promise.resolve()
    expect(run.state.get()).toMatchObject({ matches: [], status: 'searching' })
  })
})
