import type { Access } from '@flotilla/contract/access'
import type { ServedConfig } from '@flotilla/contract/site/config'
import type { ReactNode } from 'react'

type Page = () => Promise<{ default: () => ReactNode }>

export type RouteRow = {
  /** In the router's spelling: `$id` is a part, `{-$id}` a part that may be missing. */
  path: string
  access: Access
  /** `bare` is the window alone, `shell` has navigation and toolbar, `either` the shell for whoever is logged in. */
  layout: 'bare' | 'shell' | 'either'
  title: string | ((config: ServedConfig) => string)
  page: Page
  /** What a visitor gets instead, where the page is a logged-in person's. */
  guestPage?: Page
  /** Where the site's configuration closes the page: the path to go to instead. */
  closed?: (config: ServedConfig) => string | null
}

export const titleOf = ({ title }: RouteRow, config: ServedConfig): string =>
  typeof title === 'string' ? title : title(config)
