import type { App } from '@flotilla/contract/apps/apps'
import {
  AppWindow,
  ChartLine,
  CodeXml,
  Database,
  FlaskConical,
  Monitor,
  NotebookPen,
  SquareTerminal,
} from 'lucide-react'
import type { Icon } from '../ui/status/icon'

const drawings: Record<App['icon'], Icon> = {
  app: AppWindow,
  desktop: Monitor,
  notebook: NotebookPen,
  code: CodeXml,
  chart: ChartLine,
  flask: FlaskConical,
  terminal: SquareTerminal,
  database: Database,
}

export const iconNames: Record<App['icon'], string> = {
  app: 'Window',
  desktop: 'Screen',
  notebook: 'Notebook',
  code: 'Code',
  chart: 'Chart',
  flask: 'Flask',
  terminal: 'Terminal',
  database: 'Database',
}

export function AppIcon({ icon }: Pick<App, 'icon'>) {
  const Drawing = drawings[icon]
  return (
    <span className="flex size-10 shrink-0 items-center justify-center rounded-card border border-line-1 bg-surface-1 text-ink-2">
      <Drawing size={20} strokeWidth={1.75} aria-hidden />
    </span>
  )
}
