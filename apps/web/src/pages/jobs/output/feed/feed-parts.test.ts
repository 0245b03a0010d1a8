import { describe, expect, it, vi } from 'vitest'
import { openFeed } from './feed'
import type { FeedSource } from './feed-state'

const encoder = new TextEncoder()
const decoder = new TextDecoder()

async function feedOf(content: string) {
  const data = encoder.encode(content)
  const source: FeedSource = {
    piece: async ({ from = data.length, limit }) => {
      const begin = from === data.length ? Math.max(0, data.length - limit) : from
      const part = data.slice(begin, begin + limit)
      const next = begin + part.length
      return { text: decoder.decode(part), from: begin, next, size: data.length, binary: part.includes(0) }
    },
    follow: () => () => {},
  }
  const feed = openFeed(source, false)
  feed.open()
  await vi.waitFor(() => expect(feed.state.get().status).toBe('ready'))
  const offsetOf = (text: string) => encoder.encode(content.slice(0, content.indexOf(text))).length
  const shown = async (text: string) => {
    const place = await feed.showAt(offsetOf(text))
    const line = feed.rows.get((place?.row ?? 0) - feed.rows.firstRow())?.text ?? ''
    return { line, found: line.slice(place?.at, (place?.at ?? 0) + text.length) }
  }
  return {
    feed,
    shown,
    text: () =>
      feed.rows
        .all()
        .map((line) => line.text)
        .join('\n'),
  }
}
const numbers = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => `Zeile ${from + at} größer`).join('\n')

describe('a part of the output', () => {
  it('is loaded around a match anywhere in the file, with the match in the returned row', async () => {
    const { feed, shown } = await feedOf(
      `first needle1\n${numbers(0, 60_000)}\nthe needle2 here\n${numbers(0, 60_000)}\nlast needle3`,
    )
    expect(feed.state.get().from).toBeGreaterThan(0)
    expect(await shown('needle2')).toEqual({ line: 'the needle2 here', found: 'needle2' })
    expect(feed.state.get()).toMatchObject({ behind: true })
    expect(await shown('needle1')).toEqual({ line: 'first needle1', found: 'needle1' })
    expect(feed.state.get()).toMatchObject({ from: 0, behind: true })
    expect(await shown('needle3')).toEqual({ line: 'last needle3', found: 'needle3' })
    expect(feed.state.get()).toMatchObject({ behind: false })
  })

  it('is found inside a line that is longer than a row, and after color codes', async () => {
    const long = await feedOf(`${numbers(0, 30_000)}\n${'x'.repeat(7000)}needle${'y'.repeat(9000)}\nend`)
    expect((await long.shown('needle')).found).toBe('needle')
    const colored = await feedOf(`${numbers(0, 9)}\n\x1b[31mred\x1b[0m \x1b[1mneedle\x1b[0m\nend`)
    expect(await colored.shown('needle')).toEqual({ line: 'red needle', found: 'needle' })
  })

  it('is shown with bytes that are not text, and can be continued to the end', async () => {
    const content = `a\0needle\n${numbers(0, 40_000)}\nend`
    const { feed, shown, text } = await feedOf(content)
    expect((await shown('needle')).found).toBe('needle')
    expect(feed.state.get()).toMatchObject({ binary: false, behind: true })
    for (let steps = 0; feed.state.get().behind && steps < 20; steps += 1) await feed.loadLater()
    expect(feed.state.get()).toMatchObject({ from: 0, behind: false })
    expect(text()).toBe(content.replace('\0', ''))
  })

  it('is null if the file has become shorter', async () => {
    const { feed } = await feedOf('short')
    expect(await feed.showAt(1000)).toBeNull()
  })
})
