import type { DesktopMode } from '@flotilla/contract/desktops/desktops'
import type RFB from '@novnc/novnc'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { connectDesktop } from './connect'

/**
 * In a narrower space, such as on a phone, the desktop is scaled down instead of resized, because programs need more
 * room. Next to a course on a tablet or laptop, there is more room, and a scaled desktop would be unreadable.
 */
const RESIZE_FROM_PX = 440
const RETRY_MS = { first: 500, most: 10_000 }

export type DesktopState =
  | { at: 'connecting' }
  | { at: 'password'; wasWrong: boolean }
  | { at: 'open' }
  | { at: 'waiting' }
  | { at: 'ended'; reason: string }

export const qualities = {
  best: { label: 'Best', qualityLevel: 9, compressionLevel: 1 },
  balanced: { label: 'Balanced', qualityLevel: 6, compressionLevel: 2 },
  low: { label: 'Low, for slow networks', qualityLevel: 1, compressionLevel: 9 },
} as const
export type Quality = keyof typeof qualities

type Options = { desktopId: string; mode: DesktopMode; admin: boolean; mayResize: boolean }

/** A connection to a desktop that reconnects by itself. `target` is where it is drawn. */
export function useDesktop({ desktopId, mode, admin, mayResize }: Options) {
  const target = useRef<HTMLDivElement>(null)
  const current = useRef<RFB | null>(null)
  const delay = useRef(RETRY_MS.first)
  const [state, setState] = useState<DesktopState>({ at: 'connecting' })
  /** Counts the attempts; incrementing it reconnects. */
  const [attempt, setAttempt] = useState(0)
  const [clipboard, setClipboard] = useState('')
  const [quality, setQuality] = useState<Quality>('balanced')
  const [fitsWindow, setFitsWindow] = useState(true)

  const apply = useEffectEvent((rfb: RFB): void => {
    rfb.resizeSession = mayResize && fitsWindow && (target.current?.clientWidth ?? 0) >= RESIZE_FROM_PX
    rfb.qualityLevel = qualities[quality].qualityLevel
    rfb.compressionLevel = qualities[quality].compressionLevel
  })
  useEffect(() => {
    const update = (): void => {
      if (state.at === 'open' && current.current) apply(current.current)
    }
    update()
    addEventListener('resize', update)
    return () => removeEventListener('resize', update)
  }, [quality, fitsWindow, mayResize, state.at])

  useEffect(() => {
    if (!target.current) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const disconnect = connectDesktop({
      desktopId,
      mode,
      admin,
      target: target.current,
      onOpen(rfb) {
        delay.current = RETRY_MS.first
        current.current = rfb
        setState({ at: 'open' })
        if (mode === 'control') rfb.focus()
      },
      onPasswordNeeded(rfb, wasWrong) {
        current.current = rfb
        setState({ at: 'password', wasWrong })
      },
      onClipboard(text) {
        setClipboard(text)
        // Works only where the browser allows it; the clipboard dialog always shows the text.
        if (mode === 'control' && document.hasFocus())
          navigator.clipboard?.writeText(text).catch(() => undefined)
      },
      onEnd(outcome) {
        current.current = null
        if (outcome.at === 'ended') return setState(outcome)
        setState({ at: 'waiting' })
        timer = setTimeout(() => setAttempt((before) => before + 1), delay.current)
        delay.current = Math.min(RETRY_MS.most, delay.current * 2)
      },
    })
    return () => {
      clearTimeout(timer)
      current.current = null
      disconnect()
    }
  }, [desktopId, mode, admin, attempt])

  return {
    target,
    state,
    clipboard,
    quality,
    setQuality,
    fitsWindow,
    setFitsWindow,
    /** Does something with the desktop while it is connected. */
    send: (act: (rfb: RFB) => void): void => {
      if (current.current) act(current.current)
    },
    giveClipboard(text: string): void {
      setClipboard(text)
      current.current?.clipboardPasteFrom(text)
    },
    givePassword(password: string): void {
      if (state.at === 'password' && state.wasWrong) return
      current.current?.sendCredentials({ password })
      setState({ at: 'connecting' })
    },
    reconnect(): void {
      setState({ at: 'connecting' })
      setAttempt((before) => before + 1)
    },
  }
}
export type DesktopControls = ReturnType<typeof useDesktop>
