import type { Infrastructure } from '../provider'
import { maasModule } from './module'
import { environment, secretVariables, variables } from './variables'

export const infrastructure = {
  module: maasModule,
  variables,
  secretVariables,
  environment,
} satisfies Infrastructure
