import type { Infrastructure } from '../provider'
import { maasModule } from './module'
import { environment, variables } from './variables'

export const infrastructure = {
  module: maasModule,
  variables,
  environment,
} satisfies Infrastructure
