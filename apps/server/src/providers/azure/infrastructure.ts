import type { Infrastructure } from '../provider'
import { azureModule } from './module'
import { environment, marketplaceImages, secretVariables, variables } from './variables'

export const infrastructure = {
  module: azureModule,
  variables,
  marketplaceImages,
  secretVariables,
  environment,
  holdsDisks: 'azurerm_resource_group',
} satisfies Infrastructure
