import {
  AppWindow,
  BookOpen,
  CircleUser,
  CornerDownRight,
  GraduationCap,
  HardDrive,
  KeyRound,
  Layers,
  ListChecks,
  Server,
  Zap,
} from 'lucide-react'
import { useEffect, useRef } from 'react'
import type { Icon } from '../../ui/status/icon'
import { Glyph } from '../../ui/status/icon'
import { cx } from '../../ui/text/cx'
import type { Suggestion } from './suggestions'

const icons: Record<Suggestion['kind'], Icon> = {
  place: CornerDownRight,
  action: Zap,
  job: ListChecks,
  cluster: Server,
  node: HardDrive,
  stack: Layers,
  app: AppWindow,
  training: GraduationCap,
  course: BookOpen,
  credential: KeyRound,
  person: CircleUser,
}

interface Props {
  id: string
  suggestion: Suggestion
  marked: boolean
  onMark: () => void
  onChoose: () => void
}

export function SuggestionRow({ id, suggestion, marked, onMark, onChoose }: Props) {
  const row = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    // On a low screen, the arrow keys reach rows that are out of sight.
    if (marked) row.current?.scrollIntoView({ block: 'nearest' })
  }, [marked])
  return (
    <button
      ref={row}
      type="button"
      tabIndex={-1}
      id={id}
      role="option"
      aria-selected={marked}
      onPointerMove={onMark}
      onClick={onChoose}
      className={cx(
        'flex h-9 w-full items-center gap-3 rounded-control px-3 text-left',
        marked && 'bg-surface-3',
      )}
    >
      <Glyph icon={icons[suggestion.kind]} className="shrink-0 text-ink-3" />
      <span className="min-w-0 flex-1 truncate">{suggestion.label}</span>
      <span className="max-w-[45%] shrink-0 truncate text-label text-ink-3">{suggestion.under}</span>
    </button>
  )
}
