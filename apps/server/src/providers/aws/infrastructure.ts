import type { Infrastructure } from '../provider'
import { awsModule } from './module'
import { environment, variables } from './variables'

export const infrastructure = {
  module: awsModule,
  variables,
  environment,
} satisfies Infrastructure
