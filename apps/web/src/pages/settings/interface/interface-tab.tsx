import { settings } from '@flotilla/contract/site/settings'
import { useApiQuery } from '../../../api/query'
import { Async } from '../../../ui/feedback/async'
import { Callout } from '../../../ui/feedback/callout'
import { SkeletonText } from '../../../ui/feedback/skeleton'
import { BrandingForm } from './branding-form'
import { IntroForm } from './intro-form'
import { SiteForm } from './site-form'

/** The site's branding and features. Values set by a file in the server's assets folder are read-only. */
export function InterfaceTab() {
  const config = useApiQuery(settings.config, {})
  return (
    <Async data={config} skeleton={<SkeletonText lines={12} />}>
      {(current) => (
        <div className="flex max-w-[1120px] flex-col gap-4">
          {current.problems.length > 0 && (
            <Callout
              tone="amber"
              title="The configuration files have problems. Security settings keep their last valid or strictest value. All others use the values chosen here, or their defaults."
            >
              <ul className="list-disc pl-4">
                {current.problems.map((problem) => (
                  <li key={problem}>{problem}</li>
                ))}
              </ul>
            </Callout>
          )}
          <BrandingForm config={current} />
          <IntroForm config={current} />
          <SiteForm config={current} />
        </div>
      )}
    </Async>
  )
}
