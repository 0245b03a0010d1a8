import { AcmPanel } from './acm-panel'
import { LocalPricesForm } from './local-prices-form'
import { SyncShapes } from './sync-shapes'
import { TorqueSourceForm } from './torque-source-form'

/** What clouds offer and cost, where machines install Torque from, and the machines of an ACM. */
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
