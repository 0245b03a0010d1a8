import type { Infrastructure } from '../provider'
import { awsModule } from './module'
import { environment, secretVariables, variables } from './variables'

export const infrastructure = {
  module: awsModule,
  variables,
  secretVariables,
  environment,
} satisfies Infrastructure
