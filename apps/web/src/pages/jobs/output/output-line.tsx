import { memo } from 'react'
import { cx } from '../../../ui/text/cx'
import type { Color, Line, Style } from './ansi'
import { cutAt } from './highlight'

const textOf: Record<Color, string> = {
  red: 'text-red',
  green: 'text-green',
  amber: 'text-amber',
  blue: 'text-blue',
  accent: 'text-accent',
  gray: 'text-ink-3',
}
const backOf: Record<Color, string> = {
  red: 'bg-red-soft',
  green: 'bg-green-soft',
  amber: 'bg-amber-soft',
  blue: 'bg-blue-soft',
  accent: 'bg-accent-soft',
  gray: 'bg-surface-3',
}
const classOf = (style: Style): string =>
  cx(
    style.inverse
      ? 'bg-ink-1 text-surface-2'
      : cx(style.text && textOf[style.text], style.back && backOf[style.back]),
    style.bold && 'font-semibold',
    style.dim && !style.inverse && 'text-ink-3',
    style.italic && 'italic',
    style.underline && 'underline',
    style.strike && 'line-through',
  )

interface Props {
  line: Line
  /** The search text. `current` is the position of the current match in this line. */
  search: string
  current: number | null
}

/** A line of output, always rendered as text and never as markup, so that no output can inject code. */
export const OutputLine = memo(function OutputLine({ line, search, current }: Props) {
  const spans = line.spans ?? [{ text: line.text, style: {} }]
  if (search === '') return spans.map(({ text, style }, at) => styledText(text, style, at))
  let begin = 0
  return spans.map(({ text, style }, at) => {
    const from = begin
    begin += text.length
    // A match that spans two colors is counted but not highlighted, because this is rare.
    return (
      <span key={at} className={classOf(style) || undefined}>
        {cutAt(text, search).map((piece) =>
          piece.match ? (
            <mark
              key={piece.at}
              className={cx(
                'rounded-[2px] text-ink-1',
                from + piece.at === current ? 'bg-accent text-on-accent' : 'bg-amber-dot/35',
              )}
            >
              {piece.text}
            </mark>
          ) : (
            piece.text
          ),
        )}
      </span>
    )
  })
})

const styledText = (text: string, style: Style, key: number) => {
  const className = classOf(style)
  return className ? (
    <span key={key} className={className}>
      {text}
    </span>
  ) : (
    text
  )
}
