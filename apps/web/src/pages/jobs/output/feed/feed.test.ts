import { afterEach, describe, expect, it, vi } from 'vitest'
import { ApiError } from '@flotilla/client/api-error'
import { openFeed } from './feed'
import type { Feed } from './feed'
import type { FeedSource } from './feed-state'
import { testFile } from './test-file'

let open: Feed[] = []
afterEach(() => {
  for (const feed of open) feed.close()
  open = []
  vi.useRealTimers()
})
const feedOf = async (file: ReturnType<typeof testFile>, running = true) => {
  const feed = openFeed(file.source, running)
  feed.open()
  open.push(feed)
  await vi.waitFor(() => expect(feed.state.get().status).not.toBe('loading'))
  return feed
}
const lines = (feed: Feed) => feed.rows.all().map((line) => line.text)

describe('the output of a running job', () => {
  it('grows as the job writes', async () => {
    const file = testFile('one\n')
    const feed = await feedOf(file)
    file.grow('two\nthr')
    file.grow('ee\n')
    expect(lines(feed)).toEqual(['one', 'two', 'three'])
    expect(file.follows).toEqual([4])
  })

  it('appears with the first byte', async () => {
    const file = testFile(null)
    const feed = await feedOf(file)
    expect(feed.state.get()).toMatchObject({ status: 'ready', live: true })
    file.grow('hello\n')
    expect(lines(feed)).toEqual(['hello'])
  })

  it('reloads when the server responds again', async () => {
    const file = testFile('one\n')
    let offline = true
    const piece: FeedSource['piece'] = (range) => {
      if (offline) throw new ApiError({ status: 0, code: 'network', message: 'Network Error' })
      return file.source.piece(range)
    }
    const feed = await feedOf({ ...file, source: { ...file.source, piece } })
    expect(feed.state.get()).toMatchObject({
      status: 'failed',
      problem: 'The server is not responding; retrying automatically',
    })
    offline = false
    feed.setConnected(true)
    await vi.waitFor(() => expect(lines(feed)).toEqual(['one']))
  })

  it('continues after a lost connection without gaps or duplicates', async () => {
    const file = testFile('one\n')
    const feed = await feedOf(file)
    file.grow('two\n')
    feed.setConnected(false)
    expect(file.isFollowed()).toBe(false)
    file.growSilently('three\n')
    feed.setConnected(true)
    await vi.waitFor(() => expect(lines(feed)).toEqual(['one', 'two', 'three']))
    await vi.waitFor(() => expect(file.follows).toEqual([4, 14]))
    file.grow('four\n')
    expect(lines(feed)).toEqual(['one', 'two', 'three', 'four'])
  })

  it('is polled while there is no stream', async () => {
    vi.useFakeTimers()
    const file = testFile('one\n')
    const feed = openFeed(file.source, true)
    feed.open()
    open.push(feed)
    await vi.advanceTimersByTimeAsync(10)
    file.breakStream()
    file.growSilently('two\n')
    await vi.advanceTimersByTimeAsync(1100)
    expect(lines(feed)).toEqual(['one', 'two'])
    expect(file.isFollowed()).toBe(true)
  })

  it('is polled with backoff while the server does not respond, and immediately after a reconnect', async () => {
    const file = testFile('one\n')
    let [offline, tries] = [false, 0]
    const piece: FeedSource['piece'] = (range) => {
      tries += 1
      if (offline) throw new ApiError({ status: 0, code: 'network', message: 'Network Error' })
      return file.source.piece(range)
    }
    const feed = await feedOf({ ...file, source: { ...file.source, piece } })
    vi.useFakeTimers()
    offline = true
    tries = 0
    feed.setConnected(false)
    // After 1, 2, 4 and 8 seconds, then every 15.
    for (const [seconds, expected] of [
      [1, 1],
      [2, 2],
      [4, 3],
      [8, 4],
      [15, 5],
      [60, 9],
    ] as const) {
      await vi.advanceTimersByTimeAsync(seconds * 1000)
      expect(tries).toBe(expected)
    }
    expect(feed.state.get().live).toBe(false)
    offline = false
    file.growSilently('two\n')
    feed.setConnected(true)
    await vi.advanceTimersByTimeAsync(50)
    expect(lines(feed)).toEqual(['one', 'two'])
    expect(feed.state.get().live).toBe(true)
    // The pending retry is not sent a second time.
    const ranges = tries
    await vi.advanceTimersByTimeAsync(30_000)
    expect(tries).toBe(ranges)
  })

  it('is completed by fetching a missing chunk', async () => {
    const file = testFile('one\n')
    const feed = await feedOf(file)
    file.growSilently('two\nthree\n')
    file.push({ text: 'three\n', from: 8, next: 14 })
    await vi.waitFor(() => expect(lines(feed)).toEqual(['one', 'two', 'three']))
    expect(file.follows.at(-1)).toBe(14)
  })

  it('starts over if the file was rewritten', async () => {
    const file = testFile('old\nold\n')
    const feed = await feedOf(file)
    file.push({ text: 'new\n', from: 0, next: 4 })
    expect(lines(feed)).toEqual(['new'])
  })

  it('is marked as binary once it contains binary data', async () => {
    const file = testFile('head\n')
    const feed = await feedOf(file)
    file.grow('\0\0\0')
    expect(feed.state.get()).toMatchObject({ binary: true, live: false })
  })

  it('is shown once, even if it is read and streamed at the same time', async () => {
    const file = testFile('one\n')
    let answer = () => {}
    const feed = await feedOf({
      ...file,
      source: {
        ...file.source,
        piece: async (range) => {
          const found = await file.source.piece(range)
          if (range.from !== undefined) await new Promise<void>((resolve) => (answer = resolve))
          return found
        },
      },
    })
    file.breakStream()
    file.growSilently('two\n')
    // The feed reads, and follows again before the response arrives.
    feed.setConnected(true)
    feed.setRunning(false)
    feed.setRunning(true)
    await vi.waitFor(() => expect(file.isFollowed()).toBe(true))
    file.push({ text: 'two\n', from: 4, next: 8 })
    expect(lines(feed)).toEqual(['one', 'two'])
    answer()
    file.growSilently('three\n')
    await vi.waitFor(() => {
      answer()
      expect(lines(feed)).toEqual(['one', 'two', 'three'])
    })
  })

  it('can be shown as text if it is binary, and continues', async () => {
    const file = testFile('he\0ad\n')
    const feed = await feedOf(file)
    expect(feed.state.get()).toMatchObject({ binary: true })
    feed.showAsText()
    await vi.waitFor(() => expect(lines(feed)).toEqual(['head']))
    file.grow('\0\0\nmore\n')
    expect(lines(feed)).toEqual(['head', '', 'more'])
    expect(feed.state.get()).toMatchObject({ binary: false, live: true })
  })

  it('is read to the end after the job has ended', async () => {
    const file = testFile('one\n')
    const feed = await feedOf(file)
    file.growSilently('last words\n')
    feed.setRunning(false)
    await vi.waitFor(() => expect(lines(feed)).toEqual(['one', 'last words']))
    await vi.waitFor(() => expect(file.isFollowed()).toBe(false))
  })
})

describe('a long output', () => {
  const whole = Array.from({ length: 60_000 }, (_, at) => `line ${at} – ü\n`).join('')

  it('starts at its end and loads earlier chunks without gaps', async () => {
    const file = testFile(whole)
    const feed = await feedOf(file, false)
    expect(file.ranges).toHaveLength(1)
    expect(lines(feed).at(-1)).toBe('line 59999 – ü')
    expect(lines(feed).length).toBeLessThan(15_000)
    await feed.loadEarlier()
    await feed.loadEarlier()
    const got = lines(feed)
    const first = 60_000 - got.length
    // The first row may be the second half of its line.
    expect(got.slice(1).every((line, at) => line === `line ${first + 1 + at} – ü`)).toBe(true)
    expect(feed.state.get().from).toBeGreaterThan(0)
  })

  const FLOOD = `${'x'.repeat(99)}\n`.repeat(50_000)

  it('skips to the end when output arrives faster than it is read', async () => {
    const file = testFile('one\n')
    const feed = await feedOf(file)
    const first = FLOOD.slice(0, 4_500_000)
    file.growSilently(`${FLOOD}${FLOOD}the end\n`)
    file.push({ text: first, from: 4, next: 4 + first.length })
    await vi.waitFor(() => expect(lines(feed).at(-1)).toBe('the end'))
    expect(feed.state.get()).toMatchObject({ live: true, next: 10_000_012, size: 10_000_012 })
    expect(feed.state.get().from).toBeGreaterThan(9_000_000)
    file.grow('more\n')
    expect(lines(feed).at(-1)).toBe('more')
  })

  it('is shown from its end if the job ended in the meantime', async () => {
    const file = testFile('one\n')
    const feed = await feedOf(file)
    file.growSilently(`${FLOOD}the end\n`)
    feed.setRunning(false)
    await vi.waitFor(() => expect(lines(feed).at(-1)).toBe('the end'))
    expect(file.ranges.length).toBeLessThan(5)
  })

  it('does not scroll while the user is reading further up', async () => {
    const file = testFile('one\n')
    const feed = await feedOf(file)
    feed.setAtEnd(false)
    file.growSilently(`${FLOOD}the end\n`)
    feed.setRunning(false)
    await vi.waitFor(() => expect(feed.state.get()).toMatchObject({ behind: true, size: 5_000_012 }))
    expect(lines(feed)).toEqual(['one'])
    feed.toNewest()
    await vi.waitFor(() => expect(lines(feed).at(-1)).toBe('the end'))
  })

  it('never contains a partial character', async () => {
    const file = testFile('ü'.repeat(150_001))
    const feed = await feedOf(file, false)
    await feed.loadEarlier()
    expect(lines(feed).join('')).toBe('ü'.repeat(150_001))
    expect(feed.state.get().from).toBe(0)
  })
})

describe('a finished output', () => {
  it('is not followed', async () => {
    const file = testFile('done\n')
    const feed = await feedOf(file, false)
    expect(lines(feed)).toEqual(['done'])
    expect(file.follows).toEqual([])
  })
  it('gives the reason why it cannot be shown', async () => {
    const feed = await feedOf(testFile(null), false)
    expect(feed.state.get()).toMatchObject({ status: 'failed', problem: 'There is no such file' })
  })
})
