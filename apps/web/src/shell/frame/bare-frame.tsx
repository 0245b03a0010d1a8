import type { ReactNode } from 'react'
import { useConfig } from '../../api/config'
import { Announced } from '../banners/announced'
import { ConfigProblems } from '../banners/config-problems'
import { SiteLabels } from './site-labels'
import { SkipLink } from './skip-link'

/** A page without the shell, such as login. */
export function BareFrame({ children }: { children: ReactNode }) {
  return (
    <div className="flex min-h-dvh flex-col">
      <SkipLink />
      <ConfigProblems showDetail={false} />
      <Announced announcement={useConfig().announcement} />
      <main id="main" className="relative flex flex-1 flex-col outline-none" tabIndex={-1}>
        {children}
        <div className="absolute top-3 right-3 empty:hidden">
          <SiteLabels />
        </div>
      </main>
    </div>
  )
}
