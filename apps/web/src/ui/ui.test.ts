import { describe, expect, it } from 'vitest'
import { contrast, parseColor, readableAccent } from './status/accent'
import { createNotices } from './feedback/notices-store'
import { sharedReasons } from './overlay/menu-list'
import { placeBeside } from './overlay/place-beside'
import { placeUnder } from './overlay/place-under'
import { relativeTime } from './text/time-text'

describe('notices', () => {
  it('shows at most four at a time; the others wait', () => {
    const store = createNotices()
    for (const text of ['1', '2', '3', '4', '5', '6']) store.info(text)
    const texts = () => store.shown().map((notice) => notice.text)
    expect(texts()).toEqual(['1', '2', '3', '4'])
    store.dismiss(store.shown()[1]?.id ?? 0)
    expect(texts()).toEqual(['1', '3', '4', '5'])
  })

  it('shows the same text once, and restarts its timer', () => {
    const store = createNotices()
    store.success('Job Saved')
    const first = store.shown()[0]?.id
    store.error('Job Saved')
    store.success('Job Saved')
    expect(store.shown().map((notice) => notice.tone)).toEqual(['error', 'success'])
    expect(store.shown()[1]?.id).not.toBe(first)
  })

  it('notifies its listeners, and keeps the shown list stable in between', () => {
    const store = createNotices()
    let notified = 0
    const stop = store.subscribe(() => (notified += 1))
    store.info('a')
    expect(store.shown()).toBe(store.shown())
    store.clear()
    stop()
    store.info('b')
    expect(notified).toBe(2)
  })
})

describe("the branding's accent", () => {
  const on = (text: string) => parseColor(text) ?? [0, 0, 0]

  it('stays readable whatever color was chosen', () => {
    for (const chosen of ['#ffff00', '#000000', '#ffffff', '#3157d5', '#7f7f7f', '#0f0', '#e4002b']) {
      for (const [theme, surface] of [
        ['light', '#eff1f3'],
        ['dark', '#1b1e22'],
      ] as const) {
        const made = readableAccent(chosen, theme)
        expect(contrast(on(made?.accent ?? ''), on(surface)), `${chosen} ${theme}`).toBeGreaterThanOrEqual(
          4.5,
        )
        expect(
          contrast(on(made?.accent ?? ''), on(made?.on ?? '')),
          `${chosen} ${theme}`,
        ).toBeGreaterThanOrEqual(4.5)
      }
    }
  })

  it('keeps a readable color and rejects invalid ones', () => {
    expect(readableAccent('#3157d5', 'light')).toEqual({ accent: '#3157d5', on: '#ffffff' })
    expect(readableAccent('url(x)', 'light')).toBeNull()
  })
})

describe('a tooltip', () => {
  const view = { width: 1000, height: 600 }
  const size = { width: 100, height: 30 }

  it('opens on the preferred side, or on the other if there is no room, and stays inside the window', () => {
    expect(placeBeside({ left: 450, top: 300, width: 100, height: 32 }, size, 'top', view)).toEqual({
      left: 450,
      top: 264,
    })
    expect(placeBeside({ left: 450, top: 4, width: 100, height: 32 }, size, 'top', view).top).toBe(42)
    expect(placeBeside({ left: 980, top: 300, width: 20, height: 32 }, size, 'top', view).left).toBe(892)
  })
})

describe('a menu', () => {
  const view = { width: 1000, height: 600 }
  const size = { width: 200, height: 250 }
  const button = (left: number, top: number) => ({ left, top, width: 32, height: 32 })

  it('opens below its button, or above if there is more room, and stays inside the window', () => {
    expect(placeUnder(button(500, 100), size, 'start', view)).toMatchObject({ left: 500, top: 136 })
    expect(placeUnder(button(500, 100), size, 'end', view)).toMatchObject({ left: 332, top: 136 })
    expect(placeUnder(button(500, 500), size, 'start', view)).toMatchObject({ left: 500, top: 246 })
    expect(placeUnder(button(950, 100), size, 'start', view).left).toBe(792)
    expect(placeUnder(button(4, 100), size, 'end', view).left).toBe(8)
  })

  it('is no taller than the available space', () => {
    expect(placeUnder(button(500, 300), { width: 200, height: 900 }, 'start', view)).toEqual({
      left: 500,
      top: 8,
      maxHeight: 288,
    })
  })
})

describe('relative time', () => {
  const now = Date.UTC(2025, 0, 31, 12)
  it('uses one unit, and the date if it is long ago', () => {
    const ago = (ms: number) => relativeTime(now - ms, now)
    expect([ago(400), ago(12_300), ago(185_000), ago(7_300_000), ago(5 * 86_400_000)]).toEqual([
      'just now',
      '12 s ago',
      '3 min ago',
      '2 h ago',
      '5 d ago',
    ])
    expect(ago(-90_000)).toBe('in 1 min')
    expect(ago(90 * 86_400_000)).toContain('2024')
  })
})

it('shows a reason that several menu entries share only once', () => {
  const entry = (label: string, disabledReason: string | null) => ({
    label,
    disabledReason,
    onSelect: () => {},
  })
  const owner = 'Only the owner, ada, can do this'
  expect(
    sharedReasons([entry('Edit', owner), 'separator', entry('Share', owner), entry('Run', 'It is stopped')]),
  ).toEqual([owner])
  expect(sharedReasons([entry('Edit', owner), entry('Copy', null), entry('Move', null)])).toEqual([])
})
