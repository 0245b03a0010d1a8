import type { Attention } from '@flotilla/contract/clusters/dashboard'
import {
  ArchiveX,
  Boxes,
  CircleCheck,
  FileWarning,
  GitCompareArrows,
  HardDrive,
  KeyRound,
  Layers,
  ListX,
  PackageX,
  ScrollText,
  ServerOff,
  ShieldAlert,
  Unplug,
  UserCheck,
  Zap,
} from 'lucide-react'
import { Card } from '../../ui/layout/card'
import { EmptyState } from '../../ui/feedback/empty-state'
import { Glyph } from '../../ui/status/icon'
import type { Icon } from '../../ui/status/icon'
import { RowLink } from '../../ui/button/link'
import { RelativeTime } from '../../ui/text/relative-time'

const icons: Record<Attention['kind'], Icon> = {
  service: ServerOff,
  disk: HardDrive,
  cluster: Boxes,
  connection: Unplug,
  bursting: Zap,
  drift: GitCompareArrows,
  stack: Layers,
  credential: KeyRound,
  leftovers: PackageX,
  jobs: ListX,
  backup: ArchiveX,
  audit: ShieldAlert,
  approval: UserCheck,
  license: ScrollText,
  config: FileWarning,
}
/** The kinds of entries that report an outage, not just a warning. */
const broken = new Set<Attention['kind']>(['service', 'cluster', 'connection', 'stack', 'audit'])

export function AttentionCard({ entries }: { entries: readonly Attention[] }) {
  return (
    <Card title="Needs attention" flush={entries.length > 0}>
      {entries.length === 0 ? (
        <EmptyState icon={CircleCheck} title="Nothing needs your attention">
          Failed clusters, unreachable head nodes and jobs that are blocked for hours are listed here.
        </EmptyState>
      ) : (
        <ul className="divide-y divide-line-1 border-t border-line-1">
          {entries.map(({ kind, text, link, since }) => (
            <li key={`${link} ${text}`} className="flex items-start gap-3 px-4 py-2.5 text-body">
              <Glyph
                icon={icons[kind]}
                className={broken.has(kind) ? 'mt-0.5 shrink-0 text-red' : 'mt-0.5 shrink-0 text-amber'}
              />
              <RowLink to={link} className="min-w-0 flex-1 wrap-anywhere">
                {/* The linked page shows the full text. */}
                <span className="line-clamp-3">{text}</span>
              </RowLink>
              {since !== null && (
                <span className="shrink-0 text-ink-3">
                  <RelativeTime at={since} />
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}
