import { AcmPanel } from './acm-panel'
import { LocalPricesForm } from './local-prices-form'
import { SyncShapes } from './sync-shapes'
import { TorqueSourceForm } from './torque-source-form'

/** Cloud sizes and prices, the Torque package source, and ACM machines. */
export const CloudTab = () => (
  <div className="grid max-w-[1120px] gap-4 lg:grid-cols-2">
    <SyncShapes />
    <LocalPricesForm />
    <div className="min-w-0 lg:col-span-2">
      <TorqueSourceForm />
    </div>
    <div className="min-w-0 lg:col-span-2">
      <AcmPanel />
    </div>
  </div>
)
