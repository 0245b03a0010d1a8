import { Hourglass } from 'lucide-react'
import type { ReactNode } from 'react'
import { Card } from '../../ui/card'
import { EmptyState } from '../../ui/empty-state'

/** Placeholder for a tab that does not exist yet. */
export function ComingSoonTab({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Card flush>
      <EmptyState icon={Hourglass} title={title}>
        {children}
      </EmptyState>
    </Card>
  )
}
