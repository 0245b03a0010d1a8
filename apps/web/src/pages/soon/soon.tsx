import { useMatches } from '@tanstack/react-router'
import { Hourglass } from 'lucide-react'
import { useConfig } from '../../api/config'
import { titleOf } from '../../route-row'
import { EmptyState } from '../../ui/empty-state'
import { PageHeader } from '../../ui/page-header'
import { soonTexts } from './soon-texts'

/** Every page that is still to come says what it will be; the words are in soon-texts.ts. */
export default function Soon() {
  const row = useMatches({ select: (matches) => matches.at(-1)?.staticData.row })
  const config = useConfig()
  const texts = row && soonTexts[row.path]
  if (!texts) return null
  return (
    <>
      <PageHeader title={titleOf(row, config)} />
      <div className="rounded-card border border-line-1 bg-surface-2">
        <EmptyState icon={Hourglass} title="This page is being built">
          {texts.will} {texts.today}
        </EmptyState>
      </div>
    </>
  )
}
