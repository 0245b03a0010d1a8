import type { Infrastructure } from '../provider'
import { gcpModule } from './module'
import { environment, secretVariables, variables } from './variables'

export const infrastructure = {
  module: gcpModule,
  variables,
  secretVariables,
  environment,
} satisfies Infrastructure
