import { SearchX, SlidersHorizontal } from 'lucide-react'
import { paths, usePathParam } from '../../paths'
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

const tabs = [
  { id: 'users', label: 'Users', content: <UsersTab /> },
  { id: 'security', label: 'Security', content: <SecurityTab /> },
  { id: 'license', label: 'License', content: <LicenseTab /> },
  { id: 'interface', label: 'Interface', content: <InterfaceTab /> },
  { id: 'ldap', label: 'LDAP servers', content: <LdapTab /> },
  { id: 'two-step', label: 'Two-step', content: <TwoStepTab /> },
  { id: 'mail', label: 'Mail', content: <MailTab /> },
  { id: 'cluster', label: 'Cluster', content: <ClusterTab /> },
  { id: 'cloud', label: 'Cloud', content: <CloudTab /> },
  { id: 'acm', label: 'ACM', content: <AcmTab /> },
  { id: 'leftovers', label: 'Leftovers', content: <LeftoversTab /> },
  { id: 'backup', label: 'Backup', content: <BackupTab /> },
  { id: 'doctor', label: 'Doctor', content: <DoctorTab /> },
  { id: 'audit', label: 'Audit', content: <AuditTab /> },
]

export default function SettingsPage() {
  const wanted = usePathParam('tab') ?? 'users'
  const tab = tabs.find(({ id }) => id === wanted)
  return (
    <>
      <PageHeader
        title="Settings"
        actions={
          <ButtonLink to={paths.generalSettings()} icon={SlidersHorizontal}>
            My appearance
          </ButtonLink>
        }
      />
      <LinkTabs
        label="Settings"
        tabs={tabs.map(({ id, label }) => ({ to: tabPath(id), label, exact: true }))}
      />
      <div className="mt-5">{tab ? tab.content : <TabNotFound />}</div>
    </>
  )
}

/** The first tab is shown at the bare path. */
const tabPath = (id: string) => paths.settings(id === 'users' ? undefined : id)

const TabNotFound = () => (
  <EmptyState
    icon={SearchX}
    title="Tab not found"
    action={<ButtonLink to={paths.settings()}>Go to Users</ButtonLink>}
  >
    Settings has no tab with this address.
  </EmptyState>
)
