import { CircleUser, SearchX } from 'lucide-react'
import type { ReactNode } from 'react'
import { paths, usePathParam } from '../../paths'
import { siteTabPath, siteTabs, type SiteTab } from '../../settings-tabs'
import { EmptyState } from '../../ui/feedback/empty-state'
import { ButtonLink } from '../../ui/button/link'
import { LinkTabs } from '../../ui/layout/link-tabs'
import { PageHeader } from '../../ui/layout/page-header'
import { AcmTab } from './acm/acm-tab'
import { AuditTab } from './audit/audit-tab'
import { BackupTab } from './backup/backup-tab'
import { CloudTab } from './cloud/cloud-tab'
import { ClusterTab } from './cluster-tab'
import { DoctorTab } from './doctor-tab'
import { InterfaceTab } from './interface/interface-tab'
import { LdapTab } from './ldap/ldap-tab'
import { LeftoversTab } from './leftovers/leftovers-tab'
import { LicenseTab } from './license/license-tab'
import { MailTab } from './mail/mail-tab'
import { SecurityTab } from './security/security-tab'
import { TwoStepTab } from './two-step/two-step-tab'
import { UsersTab } from './users/users-tab'

const contents: Record<SiteTab, ReactNode> = {
  users: <UsersTab />,
  security: <SecurityTab />,
  license: <LicenseTab />,
  interface: <InterfaceTab />,
  ldap: <LdapTab />,
  'two-step': <TwoStepTab />,
  mail: <MailTab />,
  cluster: <ClusterTab />,
  cloud: <CloudTab />,
  acm: <AcmTab />,
  leftovers: <LeftoversTab />,
  backup: <BackupTab />,
  doctor: <DoctorTab />,
  audit: <AuditTab />,
}

export default function SettingsPage() {
  const inPath = usePathParam('tab')
  const wanted = inPath ?? 'users'
  const tab = siteTabs.find(({ id }) => id === wanted)
  return (
    <>
      <PageHeader
        title="Settings"
        actions={
          <ButtonLink to={paths.profile()} icon={CircleUser}>
            Your settings
          </ButtonLink>
        }
      />
      <LinkTabs
        label="Settings"
        tabs={siteTabs.map(({ id, label }) => ({
          // The first tab has two paths, with and without its name.
          to: id === inPath ? paths.settings(id) : siteTabPath(id),
          label,
          exact: true,
        }))}
      />
      <div className="mt-5">{tab ? contents[tab.id] : <TabNotFound />}</div>
    </>
  )
}

const TabNotFound = () => (
  <EmptyState
    icon={SearchX}
    title="Tab not found"
    action={<ButtonLink to={paths.settings()}>Go to Users</ButtonLink>}
  >
    Settings has no tab with this address.
  </EmptyState>
)
