import { StoredChoices, strictestConfig } from '@flotilla/contract/site/config'
import type { Database } from '../../db/database'
import { remember } from '../../timing/remembered'
import * as store from './store'

/** A stored configuration that this version cannot parse must not open the site, so the strictest one applies. */
export const parseChoices = (stored: unknown): StoredChoices =>
  StoredChoices.safeParse(stored).data ?? strictestConfig

/** The admins' choices for the site's configuration, cached because nearly every request needs some of them. */
export type Choices = ReturnType<typeof openChoices>
export const openChoices = (db: Database, now: () => number) =>
  remember(async () => {
    const { config, intro_html } = await store.choices(db.kysely)
    return { config: parseChoices(config), introHtml: intro_html }
  }, now)
