import type { Access } from '@flotilla/contract/access'
import type { ServedConfig } from '@flotilla/contract/site/config'
import type { ReactNode } from 'react'

type Page = () => Promise<{ default: () => ReactNode }>

export type RouteRow = {
  /** In the router's syntax: `$id` is a parameter, `{-$id}` an optional one. */
  path: string
  access: Access
  /** `bare` has no shell, `shell` has navigation and toolbar, `either` has the shell for logged-in users. */
  layout: 'bare' | 'shell' | 'either'
  title: string | ((config: ServedConfig) => string)
  page: Page
  /** What guests get instead, if the page is for logged-in users. */
  guestPage?: Page
  /** The path to redirect to if the site's configuration disables the page. */
  closed?: (config: ServedConfig) => string | null
}

export const titleOf = ({ title }: RouteRow, config: ServedConfig): string =>
  typeof title === 'string' ? title : title(config)
