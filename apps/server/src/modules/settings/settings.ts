import { VERSION } from '@flotilla/contract/limits'
import { Preferences, type SiteSettings, type UiSettings } from '@flotilla/contract/settings'
import type { Database } from '../../db/database'
import { fail } from '../../fail'
import type { Caller } from '../../http/caller'
import type { RuntimeConfigFiles } from '../../runtime/runtime'
import * as store from './store'

export type Settings = ReturnType<typeof makeSettings>
export function makeSettings(db: Database, runtime: RuntimeConfigFiles) {
  const ui = async (me: Caller): Promise<UiSettings> => {
    const [config, found] = await Promise.all([runtime.config(), store.personal(db.kysely, me.id)])
    // Removed since the call came in.
    const person = found ?? fail('session_ended')
    const allowed = me.role.some(
      (role) => role === 'admin' || role === 'instructor' || role === 'participant',
    )
    return {
      version: VERSION,
      providers: person.providers ?? config.providers,
      trainingsAllowed: config.features.workshops && allowed,
      features: config.features,
      preferences: Preferences.parse(person.preferences),
    }
  }
  return {
    ui,
    async setPreferences(me: Caller, preferences: Preferences): Promise<UiSettings> {
      await store.setPreferences(db.kysely, me.id, preferences)
      return ui(me)
    },
    site: (): Promise<SiteSettings> => store.site(db.kysely),
  }
}
