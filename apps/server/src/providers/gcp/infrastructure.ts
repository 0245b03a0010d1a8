import type { Infrastructure } from '../provider'
import { gcpModule } from './module'
import { environment, variables } from './variables'

export const infrastructure = {
  module: gcpModule,
  variables,
  environment,
} satisfies Infrastructure
