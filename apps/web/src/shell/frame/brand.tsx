import { Link } from '@tanstack/react-router'
import { useConfig } from '../../api/config'
import { BrandMark } from '../../guest/brand'
import { paths } from '../../paths'

/** Logo and name; links to the home page. */
export function Brand() {
  const { name } = useConfig().branding
  return (
    <Link
      to={paths.root()}
      className="flex min-w-0 flex-1 items-center gap-2.5 rounded-control font-semibold"
    >
      <BrandMark className="size-7 shrink-0" />
      <span className="line-clamp-2 text-body">{name}</span>
    </Link>
  )
}
