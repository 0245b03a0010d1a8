import { Link } from '@tanstack/react-router'
import { useConfig } from '../../api/config'
import { BrandMark } from '../../guest/brand'
import { paths } from '../../paths'

/** Logo and name; links to the home page. Next to a wide logo there is no room for the name: it goes below. */
export function Brand() {
  const { name } = useConfig().branding
  return (
    <Link
      to={paths.root()}
      className="flex max-h-13 min-w-0 flex-1 flex-wrap items-center gap-x-2.5 gap-y-0.5 overflow-hidden rounded-control font-semibold"
    >
      <BrandMark className="size-7 shrink-0" />
      <span className="line-clamp-2 min-w-24 flex-1 text-body">{name}</span>
    </Link>
  )
}
