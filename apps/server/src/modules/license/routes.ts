import { license as calls } from '@flotilla/contract/site/license'
import type { Bind } from '../../http/bind'
import type { LicenseCheck } from './license'

export function bindLicense(bind: Bind, license: LicenseCheck): void {
  bind(calls.view, () => license.current())
}
