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
        {/* A phone has no free corner. */}
        <div className="max-lg:order-first max-lg:px-6 max-lg:pt-4 sm:max-lg:px-10 lg:absolute lg:top-3 lg:right-3 empty:hidden">
          <SiteLabels inRow />
        </div>
      </main>
    </div>
  )
}
