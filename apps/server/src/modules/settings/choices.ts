import { StoredChoices, strictestConfig } from '@flotilla/contract/site/config'
import type { Database } from '../../db/database'
import { remember } from '../../timing/remembered'
import * as store from './store'

/** What another version wrote and this one cannot read must not open the site. */
export const parseChoices = (stored: unknown): StoredChoices =>
  StoredChoices.safeParse(stored).data ?? strictestConfig

/** What admins chose of the site's configuration. Nearly every request needs some of it. */
export type Choices = ReturnType<typeof openChoices>
export const openChoices = (db: Database, now: () => number) =>
  remember(async () => {
    const { config, intro_html } = await store.choices(db.kysely)
    return { config: parseChoices(config), introHtml: intro_html }
  }, now)
