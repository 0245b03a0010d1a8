import type { Infrastructure } from '../provider'
import { azureModule } from './module'
import { environment, marketplaceImages, variables } from './variables'

export const infrastructure = {
  module: azureModule,
  variables,
  marketplaceImages,
  environment,
  holdsDisks: 'azurerm_resource_group',
} satisfies Infrastructure
