import { Activity, GraduationCap, Layers, Server } from 'lucide-react'
import type { Icon } from '../../ui/status/icon'
import { Glyph } from '../../ui/status/icon'

const points: readonly { icon: Icon; title: string; text: string }[] = [
  {
    icon: Server,
    title: 'Clusters when you need them',
    text: 'Describe nodes and a scheduler, and get a running cluster in a cloud or on machines you already have.',
  },
  {
    icon: Layers,
    title: 'Reproducible images',
    text: 'Define a machine image once, build it for any provider, and boot every node from it.',
  },
  {
    icon: Activity,
    title: 'Jobs you can watch',
    text: 'Submit a script and watch its output live. Pay for nodes only while jobs need them.',
  },
  {
    icon: GraduationCap,
    title: 'Workshops without setup',
    text: 'Participants join with a session code and find their own cluster ready.',
  },
]

export function Marketing() {
  return (
    <div className="max-w-[56ch]">
      <h2 className="mb-6 text-[26px] leading-[34px] font-semibold text-balance">
        A data center when you need it
      </h2>
      <ul className="flex flex-col gap-5">
        {points.map(({ icon, title, text }) => (
          <li key={title} className="flex gap-3">
            <span className="flex size-8 shrink-0 items-center justify-center rounded-control border border-line-1 bg-surface-2 text-accent">
              <Glyph icon={icon} />
            </span>
            <div className="flex flex-col gap-0.5">
              <p className="text-form font-medium">{title}</p>
              <p className="text-body text-ink-2">{text}</p>
            </div>
          </li>
        ))}
      </ul>
    </div>
  )
}
