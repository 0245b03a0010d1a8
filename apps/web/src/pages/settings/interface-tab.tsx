import type { ServedConfig } from '@flotilla/contract/site/config'
import type { ReactNode } from 'react'
import { useConfig } from '../../api/config'
import { Callout } from '../../ui/callout'
import { Card } from '../../ui/card'
import { KeyValue } from '../../ui/key-value'
import { ExternalLink } from '../../ui/link'
import { Status } from '../../ui/status'
import { BrandingPreview } from './branding-preview'

/** The runtime configuration as the server read it. It is a file, not a form, because the operator owns it. */
export function InterfaceTab() {
  const config = useConfig()
  return (
    <div className="flex max-w-[1120px] flex-col gap-4">
      {config.problems.length > 0 && (
        <Callout
          tone="amber"
          title="The configuration files have problems. Security settings keep their last valid or strictest value. All others use their defaults."
        >
          <ul className="list-disc pl-4">
            {config.problems.map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
        </Callout>
      )}
      <Card
        title="Branding"
        description={
          <>
            Name, logo, colors and links come from <Path>assets/config.json</Path> in the server&apos;s data
            folder. The login page text comes from <Path>assets/{config.intro}</Path>. Save the file and
            reload this page.
          </>
        }
      >
        <div className="flex flex-col gap-5">
          <BrandingPreview />
          <KeyValue columns={2} items={brandingItems(config)} />
        </div>
      </Card>
      <Card title="Behavior" description="Values the server read from the same file.">
        <KeyValue columns={2} items={behaviorItems(config)} />
      </Card>
    </div>
  )
}

const Path = ({ children }: { children: ReactNode }) => (
  <code className="font-mono text-label">{children}</code>
)
const onOff = (on: boolean) => <Status tone={on ? 'green' : 'gray'}>{on ? 'On' : 'Off'}</Status>
const link = (href: string | null) =>
  href === null ? 'None' : <ExternalLink href={href}>{href}</ExternalLink>

const brandingItems = ({ branding, trainingMenuTitle }: ServedConfig) => [
  { label: 'Name', value: branding.name },
  { label: 'Logo', value: branding.logo ?? 'Built-in' },
  { label: 'Accent', value: branding.accent ?? 'Built-in' },
  { label: 'Accent, dark', value: branding.accentDark ?? branding.accent ?? 'Built-in' },
  { label: 'Copyright', value: branding.copyright },
  { label: 'Contact', value: link(branding.contactLink) },
  { label: 'Free trial', value: link(branding.freeTrialLink) },
  { label: 'Quick start', value: link(branding.quickStartLink) },
  { label: 'Training menu', value: trainingMenuTitle },
]

const behaviorItems = (config: ServedConfig) => [
  { label: 'Address', value: config.server },
  { label: 'Socket port', value: config.websocketPort },
  { label: 'Registration', value: onOff(config.register) },
  { label: 'Idle timer', value: config.idleTimer === 0 ? 'Off' : `${config.idleTimer} s` },
  { label: 'Update interval', value: `${config.updateInterval} ms` },
  { label: 'Providers', value: config.providers.join(', ') },
  { label: 'Workshops', value: onOff(config.features.workshops) },
  { label: 'Marketplace', value: onOff(config.features.marketplace) },
  { label: 'LDAP login', value: onOff(config.features.ldap) },
  { label: 'Clouds', value: config.simulated ? 'Simulated' : 'Real' },
]
