import { useRef, useState } from 'react'
import type { KeyboardEvent, PointerEvent, ReactNode } from 'react'

const LEAST = 20
const MOST = 80
const STEP = 2
const within = (share: number): number => Math.min(MOST, Math.max(LEAST, share))

const steps: Record<string, (share: number) => number> = {
  ArrowLeft: (share) => share - STEP,
  ArrowRight: (share) => share + STEP,
  Home: () => LEAST,
  End: () => MOST,
}

interface Props {
  /** What the divider changes, such as 'Width of the course'. */
  label: string
  /** The left part's share of the width in percent. */
  share: number
  /** Called when a change is finished. */
  onChange: (share: number) => void
  left: ReactNode
  right: ReactNode
}

/** Two panes side by side with a divider that is moved with the pointer or the arrow keys; a double click resets it. */
export function SplitPane({ label, share: given, onChange, left, right }: Props) {
  const box = useRef<HTMLDivElement>(null)
  /** The share while the divider is dragged. */
  const [dragged, setDragged] = useState<number | null>(null)
  const share = dragged ?? given

  const drag = (event: PointerEvent) => {
    const { left: from = 0, width = 1 } = box.current?.getBoundingClientRect() ?? {}
    setDragged(within(((event.clientX - from) / width) * 100))
  }
  const drop = () => {
    if (dragged !== null) onChange(dragged)
    setDragged(null)
  }
  const press = (event: KeyboardEvent) => {
    const next = steps[event.key]?.(share)
    if (next === undefined) return
    event.preventDefault()
    onChange(within(next))
  }
  return (
    <div ref={box} className="flex size-full min-h-0 min-w-0">
      <div className="min-h-0 min-w-0 overflow-auto p-0.5" style={{ width: `${share}%` }}>
        {left}
      </div>
      <div
        role="separator"
        aria-label={label}
        aria-orientation="vertical"
        aria-valuenow={Math.round(share)}
        aria-valuemin={LEAST}
        aria-valuemax={MOST}
        tabIndex={0}
        onKeyDown={press}
        onDoubleClick={() => onChange(50)}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId)
          setDragged(given)
        }}
        onPointerMove={(event) => dragged !== null && drag(event)}
        onPointerUp={drop}
        onPointerCancel={() => setDragged(null)}
        className="group flex w-3 shrink-0 cursor-col-resize touch-none items-center justify-center"
      >
        <span className="h-full w-px bg-line-1 transition-colors group-hover:w-0.5 group-hover:bg-accent group-focus-visible:bg-accent" />
      </div>
      {/* The right pane, such as a desktop, must not receive pointer events while the divider moves. */}
      <div
        className="min-h-0 min-w-0 flex-1 overflow-auto p-0.5 data-dragging:pointer-events-none"
        data-dragging={dragged === null ? undefined : ''}
      >
        {right}
      </div>
    </div>
  )
}
