import type { ReactNode } from 'react'
import { useConfig } from '../api/config'
import { BrandMark } from './brand'
import { Intro } from './intro'
import { Lattice } from './lattice'

/**
 * The frame of guest pages: the site on the left, the form on the right. In document order, and so on a phone and for
 * the keyboard, the form comes right after the name.
 */
export function GuestPage({ children, aside }: { children: ReactNode; aside?: ReactNode }) {
  const { branding, version } = useConfig()
  return (
    <div className="grid flex-1 grid-rows-[auto_auto_1fr_auto] lg:grid-cols-[minmax(0,1fr)_minmax(0,1fr)] lg:grid-rows-[auto_1fr_auto] xl:grid-cols-[minmax(0,1.15fr)_minmax(0,1fr)]">
      <div className="relative overflow-hidden max-lg:hidden lg:col-start-1 lg:row-span-3 lg:row-start-1">
        <Lattice />
      </div>
      <div className="relative flex items-center gap-3 px-6 pt-6 sm:px-10 lg:col-start-1 lg:row-start-1 lg:px-14 lg:pt-12">
        <BrandMark />
        <p className="text-section font-semibold text-balance">{branding.name}</p>
      </div>
      <div className="flex items-center justify-center border-line-1 bg-surface-2 px-6 py-8 max-lg:mt-6 max-lg:border-y sm:px-10 lg:col-start-2 lg:row-span-3 lg:row-start-1 lg:border-l lg:py-12">
        <div className="w-full max-w-[400px]">{children}</div>
      </div>
      <div className="relative flex flex-col px-6 py-8 sm:px-10 lg:col-start-1 lg:row-start-2 lg:justify-center lg:px-14">
        {aside ?? <Intro />}
      </div>
      <div className="relative flex flex-wrap items-center justify-between gap-x-6 gap-y-1 px-6 pb-6 text-label text-ink-3 sm:px-10 lg:col-start-1 lg:row-start-3 lg:px-14 lg:pb-10">
        <p>© {branding.copyright}</p>
        <p>Version {version}</p>
      </div>
    </div>
  )
}

/** The heading on the right, with a sentence below it. */
export function GuestPageHeading({ title, children }: { title: ReactNode; children?: ReactNode }) {
  return (
    <div className="mb-6 flex flex-col gap-1.5">
      <h1 className="text-title font-semibold text-balance outline-none">{title}</h1>
      {children && <div className="text-form text-ink-2">{children}</div>}
    </div>
  )
}
