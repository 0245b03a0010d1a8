import { RUNAWAY_SEQUENCES, TERMINAL_SIDE_MAX } from '@flotilla/contract/clusters/terminal'
import { FitAddon } from '@xterm/addon-fit'
import { Terminal } from '@xterm/xterm'
import type { ITheme } from '@xterm/xterm'
import '@xterm/xterm/css/xterm.css'
import { RotateCw, X } from 'lucide-react'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { appearance } from '../shell/theme'
import { useStore } from '../store'
import { Button } from '../ui/button/button'
import { Status } from '../ui/status/status'
import { cx } from '../ui/text/cx'
import { allowCellColors, setTheme, withPlainStyles } from './terminal-styles'
import { typing } from './typing'
import { useTerminal } from './use-terminal'

const ANSI = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const
const bright = (name: string) => `bright${name.charAt(0).toUpperCase()}${name.slice(1)}`

/** The page's colors, so that the terminal matches both themes. */
function themeOf(element: HTMLElement): ITheme {
  const style = getComputedStyle(element)
  const color = (name: string): string => style.getPropertyValue(`--${name}`).trim()
  return {
    background: color('surface-2'),
    foreground: color('ink-1'),
    cursor: color('accent'),
    cursorAccent: color('surface-2'),
    selectionBackground: `${color('accent')}55`,
    ...Object.fromEntries(
      ANSI.flatMap((name) => [
        [name, color(`ansi-${name}`)],
        [bright(name), color(`ansi-bright-${name}`)],
      ]),
    ),
  }
}

const isLeaveKey = ({ ctrlKey, shiftKey, code }: KeyboardEvent) => ctrlKey && shiftKey && code === 'KeyE'

const statusLabels = {
  opening: { tone: 'blue', label: 'Opening' },
  open: { tone: 'green', label: 'Open' },
  waiting: { tone: 'amber', label: 'Connection lost, reconnecting' },
  ended: { tone: 'gray', label: 'Ended' },
} as const

interface Props {
  clusterId: string
  /** The machine that the shell runs on. */
  host: string
  /** The height of the screen; the default leaves room for a page around it. */
  className?: string
}

export default function TerminalScreen({
  clusterId,
  host,
  className = 'h-[max(20rem,calc(100dvh-31rem))]',
}: Props) {
  const box = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const [screen, setScreen] = useState<Terminal | null>(null)
  const theme = useStore(appearance)
  const { state, connected, send, resize, close, openAgain } = useTerminal(clusterId, screen)
  const onData = useEffectEvent(send)
  const onResize = useEffectEvent(resize)
  const isOver = useEffectEvent(() => state.at === 'ended')

  useEffect(() => {
    const element = box.current
    if (!element) return
    const drawn = new Terminal({
      fontFamily: getComputedStyle(element).fontFamily,
      fontSize: 13,
      lineHeight: 1.25,
      scrollback: 5000,
      cursorBlink: false,
      screenReaderMode: true,
      minimumContrastRatio: 4.5,
      theme: themeOf(element),
    })
    const fit = new FitAddon()
    drawn.loadAddon(fit)
    const release = withPlainStyles(() => drawn.open(element))
    allowCellColors(drawn)
    for (const final of RUNAWAY_SEQUENCES)
      drawn.parser.registerCsiHandler({ final }, ([count]) => Number(count) > TERMINAL_SIDE_MAX)
    fit.fit()
    drawn.attachCustomKeyEventHandler((event) => {
      // With a selection, the browser copies it; without one, Ctrl+C interrupts, as in every terminal.
      if (event.ctrlKey && !event.shiftKey && event.key === 'c' && drawn.hasSelection()) return false
      // After the end of the shell, Tab moves the focus again.
      if (event.key === 'Tab' && isOver()) return false
      if (!isLeaveKey(event)) return true
      // Tab belongs to the shell, so keyboard users need another way out.
      event.preventDefault()
      if (event.type === 'keydown') button.current?.focus()
      return false
    })
    drawn.onData((data) => onData(data))
    drawn.onResize(({ cols, rows }) => onResize(cols, rows))
    const observer = new ResizeObserver(() => fit.fit())
    observer.observe(element)
    setScreen(drawn)
    return () => {
      observer.disconnect()
      drawn.dispose()
      release()
      setScreen(null)
    }
  }, [])

  useEffect(() => {
    if (screen && box.current) setTheme(screen, themeOf(box.current))
  }, [screen, theme])
  const isOpen = state.at === 'open'
  useEffect(() => {
    if (isOpen) screen?.focus()
  }, [screen, isOpen])

  // Types code that the user wants to run here, once, as soon as the shell accepts input.
  const typed = useStore(typing)
  const typeNow = useEffectEvent((text: string) => {
    typing.set(null)
    send(text)
    screen?.focus()
  })
  const waiting = typed?.clusterId === clusterId ? typed.text : null
  useEffect(() => {
    if (isOpen && connected && waiting !== null) typeNow(waiting)
  }, [isOpen, connected, waiting])

  const { tone, label } = connected ? statusLabels[state.at] : statusLabels.waiting
  return (
    <section
      aria-label={`Terminal on ${host}`}
      className="overflow-hidden rounded-card border border-line-1 bg-surface-2 outline-accent has-[textarea:focus-visible]:outline-2"
    >
      <header className="flex min-h-11 flex-wrap items-center gap-3 border-b border-line-1 bg-surface-1 px-3 py-1.5">
        <span role="status">
          <Status tone={tone} detail={state.at === 'ended' ? state.reason : host}>
            {label}
          </Status>
        </span>
        <span className="ml-auto flex items-center gap-3">
          {state.at !== 'ended' && (
            <span className="hidden text-label text-ink-3 sm:inline">
              <kbd className="font-mono">Ctrl+Shift+E</kbd> leaves the terminal
            </span>
          )}
          {state.at === 'ended' ? (
            <Button ref={button} variant="primary" icon={RotateCw} onClick={openAgain}>
              Open again
            </Button>
          ) : (
            <Button ref={button} variant="ghost" icon={X} onClick={close}>
              Close terminal
            </Button>
          )}
        </span>
      </header>
      {/* The padding is outside, because the box is measured to find how many rows and columns fit. */}
      <div className={cx(className, 'p-2')}>
        <div ref={box} className="size-full font-mono" />
      </div>
    </section>
  )
}
