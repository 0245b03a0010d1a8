import { announcements as announcementCalls } from '@flotilla/contract/site/announcement'
import { settings as calls } from '@flotilla/contract/site/settings'
import { ui } from '@flotilla/contract/site/ui'
import type { Bind } from '../../http/bind'
import type { Settings } from './settings'

export function bindSettings(bind: Bind, settings: Settings): void {
  bind(ui.settings, (_input, me) => settings.ui(me))
  bind(ui.setPreferences, ({ body }, me, context) => settings.setPreferences(me, body.preferences, context))
  bind(calls.site, () => settings.site())
  bind(calls.setLocalPrices, ({ body }, me, context) => settings.setLocalPrices(me, body, context))
  bind(calls.setCluster, ({ body }, me, context) => settings.setCluster(me, body, context))
  const { siteConfig } = settings
  bind(calls.config, () => siteConfig.view())
  bind(calls.setConfig, ({ body }, me, context) => siteConfig.set(me, body, context))
  bind(calls.setLogo, ({ bytes }, me, context) => siteConfig.setLogo(me, bytes, context))
  bind(calls.removeLogo, (_input, me, context) => siteConfig.removeLogo(me, context))
  bind(calls.security, () => settings.security())
  bind(calls.setSecurity, ({ body }, me, context) => settings.setSecurity(me, body, context))
  bind(calls.torqueSource, () => settings.torqueSetting())
  bind(calls.setTorqueSource, ({ body }, me, context) => settings.setTorqueSource(me, body, context))
  const { announcements } = settings
  bind(announcementCalls.view, () => announcements.current())
  bind(announcementCalls.set, ({ body }, me, context) => announcements.set(me, body, context))
  bind(announcementCalls.remove, (_input, me, context) => announcements.remove(me, context))
  bind(calls.removeTorqueSource, (_input, me, context) => settings.removeTorqueSource(me, context))
}
