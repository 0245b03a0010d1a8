import type { LogLevel } from '@flotilla/contract/clusters/entity'
import { memo, useLayoutEffect, useRef } from 'react'
import { cx } from '../text/cx'
import { absoluteTime } from '../text/time-text'

export type LogLine = { seq: number; time: number; level: LogLevel; text: string }

export const levelColors: Record<LogLevel, string> = { info: '', warning: 'text-amber', error: 'text-red' }
const levelNames = { warning: 'Warning', error: 'Error' }

/** For a line with its color: color alone is not accessible to everyone. */
export const LevelName = ({ level }: { level: LogLevel }) =>
  level === 'info' ? null : <span className="sr-only">{levelNames[level]}: </span>

/** Stays at the end if the user is there, and does not move if they read further up. */
export function LogLines({ lines, label }: { lines: readonly LogLine[]; label: string }) {
  const box = useRef<HTMLDivElement>(null)
  const atEnd = useRef(true)
  useLayoutEffect(() => {
    if (box.current && atEnd.current) box.current.scrollTop = box.current.scrollHeight
  }, [lines])
  return (
    <div
      ref={box}
      role="log"
      aria-label={label}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
        atEnd.current = scrollTop + clientHeight > scrollHeight - 8
      }}
      className="max-h-[max(20rem,calc(100dvh-31rem))] overflow-auto rounded-card border border-line-1 bg-surface-2 py-2 font-mono text-label"
    >
      {lines.map((line) => (
        <Entry key={line.seq} line={line} />
      ))}
    </div>
  )
}

/** Rendered once: a log only grows. */
const Entry = memo(({ line: { time, level, text } }: { line: LogLine }) => (
  <div className="flex gap-4 px-4 py-0.5 [contain-intrinsic-size:auto_20px] [content-visibility:auto] hover:bg-surface-3">
    <time
      dateTime={new Date(time).toISOString()}
      title={absoluteTime(time)}
      className="shrink-0 text-ink-3 tabular-nums max-sm:hidden"
    >
      {new Date(time).toLocaleString()}
    </time>
    <span className={cx('min-w-0 whitespace-pre-wrap wrap-anywhere', levelColors[level])}>
      <LevelName level={level} />
      {text}
    </span>
  </div>
))
