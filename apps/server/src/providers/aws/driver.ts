import type { Driver, DriverOptions } from '../provider'
import { makeUntil } from '../waiting'
import { makeChoices } from './account/choices'
import { clientsOf } from './clients'
import { makeFastRestore } from './fast-restore'
import { makeFind } from './find'
import { makePower } from './power'
import { makeQuotas } from './account/quota'
import { makeRemove } from './remove'
import { whoAmI } from './rights'
import { makeZoneFor } from './zones'

export function driver(options: DriverOptions): Driver {
  const { ec2, sts } = clientsOf(options)
  const until = makeUntil(options.pollMs)
  return {
    whoAmI: () => whoAmI(ec2, sts, options),
    ...makePower(ec2, until),
    find: makeFind(ec2, options.region),
    remove: makeRemove(ec2, until),
    quotas: makeQuotas(ec2, options),
    choices: makeChoices(ec2, options),
    sizes: async () => (await import('./sizes')).sizes(ec2, options),
    zoneFor: makeZoneFor(ec2, options.region),
    fastRestore: makeFastRestore(ec2),
  }
}
