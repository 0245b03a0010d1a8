import { Hourglass } from 'lucide-react'
import type { ReactNode } from 'react'
import { Card } from '../../ui/card'
import { EmptyState } from '../../ui/empty-state'

/** A tab that nothing fills yet: one sentence about what will be here. */
export function ComingSoonTab({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Card flush>
      <EmptyState icon={Hourglass} title={title}>
        {children}
      </EmptyState>
    </Card>
  )
}
