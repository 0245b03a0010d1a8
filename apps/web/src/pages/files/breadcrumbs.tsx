import { visibleName } from '@flotilla/contract/visible-name'
import { ChevronRight } from 'lucide-react'
import { paths } from '../../paths'
import { Glyph } from '../../ui/status/icon'
import { TextLink } from '../../ui/button/link'
import { searchOf } from './file-search'
import { stepsOf } from './places'

interface Props {
  area: string
  /** The name of the area, which is the first breadcrumb. */
  root: string
  path: string
  file?: string | undefined
  places?: readonly string[]
}

export function Breadcrumbs({ area, root, path, file, places = [] }: Props) {
  const steps = [{ name: root, path: '' }, ...stepsOf(path, places)]
  const last = file === undefined ? steps.length - 1 : -1
  return (
    <nav aria-label="Folder" className="min-w-0">
      <ol className="flex flex-wrap items-center gap-x-1 gap-y-0.5">
        {steps.map((step, at) => (
          <li key={step.path} className="flex min-w-0 items-center gap-1">
            {at > 0 && <Glyph icon={ChevronRight} className="shrink-0 text-ink-3" />}
            {at === last ? (
              <span aria-current="page" className="truncate font-medium">
                {visibleName(step.name)}
              </span>
            ) : (
              <TextLink
                to={paths.files()}
                search={searchOf({ area, path: step.path, file: undefined })}
                className="truncate"
              >
                {visibleName(step.name)}
              </TextLink>
            )}
          </li>
        ))}
        {file !== undefined && (
          <li className="flex min-w-0 items-center gap-1">
            <Glyph icon={ChevronRight} className="shrink-0 text-ink-3" />
            <span aria-current="page" className="truncate font-medium">
              {visibleName(file)}
            </span>
          </li>
        )}
      </ol>
    </nav>
  )
}
