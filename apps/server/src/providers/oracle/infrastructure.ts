import type { Infrastructure } from '../provider'
import { oracleModule } from './module'
import { environment, variables } from './variables'

export const infrastructure = {
  module: oracleModule,
  variables,
  environment,
} satisfies Infrastructure
