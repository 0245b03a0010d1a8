import { LocalPricesForm } from './local-prices-form'
import { OfferedProviders } from './offered-providers'
import { SyncShapes } from './sync-shapes'
import { TorqueSourceForm } from './torque-source-form'

/** Settings for the available clouds, their sizes and prices, and the Torque package source. */
export const CloudTab = () => (
  <div className="grid max-w-[1120px] items-start gap-4 lg:grid-cols-2">
    <OfferedProviders />
    <SyncShapes />
    <div className="min-w-0 lg:col-span-2">
      <LocalPricesForm />
    </div>
    <div className="min-w-0 lg:col-span-2">
      <TorqueSourceForm />
    </div>
  </div>
)
