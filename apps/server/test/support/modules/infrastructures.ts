import type { ProviderId } from '@flotilla/contract/site/config'
import { infrastructure as aws } from '../../../src/providers/aws/infrastructure'
import { infrastructure as azure } from '../../../src/providers/azure/infrastructure'
import { infrastructure as gcp } from '../../../src/providers/gcp/infrastructure'
import { infrastructure as maas } from '../../../src/providers/maas/infrastructure'
import type { Module } from '../../../src/providers/module/module-parts'
import { infrastructure as oracle } from '../../../src/providers/oracle/infrastructure'
import type { Infrastructure } from '../../../src/providers/provider'

/** Every provider's module and variables, with the module's own type. */
export const infrastructures: Record<ProviderId, Omit<Infrastructure, 'module'> & { module: Module }> = {
  aws,
  azure,
  gcp,
  maas,
  oracle,
}
