import { license as calls } from '@flotilla/contract/site/license'
import type { Bind } from '../../http/bind'
import type { LicenseCheck } from './license'

export function bindLicense(bind: Bind, license: LicenseCheck): void {
  bind(calls.view, () => license.current())
  bind(calls.source, () => license.source())
  bind(calls.upload, ({ body }, me, context) => license.upload(me, body, context))
  bind(calls.remove, (_input, me, context) => license.remove(me, context))
}
