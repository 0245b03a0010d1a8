import type { Infrastructure } from '../provider'
import { oracleModule } from './module'
import { environment, secretVariables, variables } from './variables'

export const infrastructure = {
  module: oracleModule,
  variables,
  secretVariables,
  environment,
} satisfies Infrastructure
