import { useState } from 'react'
import { useConfig } from '../api/config'

/** The configured logo, or our own: a few nodes sailing in formation. */
export function BrandMark({ className = 'size-8', ...given }: { className?: string; logo?: string | null }) {
  const { branding } = useConfig()
  const logo = given.logo === undefined ? branding.logo : given.logo
  const [broken, setBroken] = useState<string | null>(null)
  if (logo && broken !== logo)
    return (
      <img
        src={logo}
        alt=""
        // As high as our mark, and as wide as the picture, because many logos contain the site's name.
        className={`${className} w-auto max-w-[min(10rem,100%)] object-contain object-left`}
        onError={() => setBroken(logo)}
      />
    )
  return (
    <svg viewBox="0 0 32 32" aria-hidden className={className}>
      <rect width="32" height="32" rx="7" className="fill-accent" />
      <path d="M8 22h16M8 22l8-5 8 5M16 17V9" fill="none" strokeWidth="1.75" className="stroke-on-accent" />
      <g className="fill-on-accent">
        <circle cx="16" cy="9" r="2.5" />
        <circle cx="8" cy="22" r="2.5" />
        <circle cx="24" cy="22" r="2.5" />
        <circle cx="16" cy="17" r="2" />
      </g>
    </svg>
  )
}
